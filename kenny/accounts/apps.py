"""Accounts."""

from django.apps import AppConfig
from django.contrib import admin


class AccountsConfig(AppConfig):
    name = "kenny.accounts"
    verbose_name = "API tokens"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Give the admin site the one sign-in page, so that its limits and the second factor count there too."""
        from allauth.account.decorators import secure_admin_login  # noqa: PLC0415  needs the models

        admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth documents it

"""Forms of the account page and of the set-up link."""

from datetime import timedelta
from typing import ClassVar

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class TokenForm(forms.Form):
    """A new API token."""

    DAYS: ClassVar[list[tuple[str, str | Promise]]] = [
        ("90", _("in 90 days")), ("30", _("in 30 days")), ("365", _("in a year")), ("", _("never")),
    ]  # fmt: skip
    name = forms.CharField(
        label=_("Name of the token"),
        max_length=100,
        help_text=_("What it is for: “backup script”."),
    )
    days = forms.ChoiceField(label=_("It expires"), choices=DAYS, required=False, initial="90")

    def lifetime(self) -> timedelta | None:
        """Return the lifetime chosen; None for a token that does not expire."""
        days = self.cleaned_data["days"]
        return timedelta(days=int(days)) if days else None


class FirstAccountForm(BaseUserCreationForm):  # type: ignore[type-arg]  # generic in the stubs only
    """Name and password of the first account."""

    class Meta:
        model = User
        fields = ("username",)


class LeaveForm(forms.Form):
    """The last question before an account is gone."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

"""Forms of the account page and of the set-up link."""

from datetime import timedelta
from typing import Any, ClassVar

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


class ImportForm(forms.Form):
    """A file that an export made."""

    file = forms.FileField(
        label=_("Export to take back"),
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,application/zip"}),
    )


class LeaveForm(forms.Form):
    """The last questions before an account is gone: whose it is, and that it is this one."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    name = forms.CharField(
        label=_("Your username"),
        help_text=_("Type it, so that this is no slip of the hand."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, *args: Any, username: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self._username = username

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self._username:
            raise forms.ValidationError(_("That is not the name of this account."))
        return name

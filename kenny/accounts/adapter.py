"""What allauth asks of the project: who may sign up, where a request comes from, how a second factor is kept."""

import base64
import hashlib

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest


def display(user: AbstractBaseUser) -> str:
    return user.get_username()


class AccountAdapter(DefaultAccountAdapter):
    """Accounts by KENNY_SIGNUP; addresses by KENNY_PROXIES."""

    def is_open_for_signup(self, _request: HttpRequest) -> bool:
        return bool(settings.KENNY_SIGNUP == "open")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that limits on sign-in count by; the peer's own when a proxy named none."""
        try:
            return super().get_client_ip(request)
        except ImproperlyConfigured:
            # Fewer entries in X-Forwarded-For than KENNY_PROXIES: this request came past the proxies.
            return str(request.META["REMOTE_ADDR"])


class SecondFactorAdapter(DefaultMFAAdapter):
    """Second-factor secrets encrypted under the secret key, so that a copy of the database alone opens nothing."""

    def encrypt(self, text: str) -> str:
        return _boxes().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _boxes().decrypt(encrypted_text.encode()).decode()


def _boxes() -> MultiFernet:
    """Return the cipher of the present key, which also opens what the fallback keys closed."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"kenny second factor\n" + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])

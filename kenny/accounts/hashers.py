"""Argon2, a few at a time."""

from threading import BoundedSemaphore

from django.contrib.auth.hashers import Argon2PasswordHasher

AT_ONCE = 2
_turnstile = BoundedSemaphore(AT_ONCE)


class BoundedArgon2(Argon2PasswordHasher):
    """Django's Argon2 hasher. One hash takes 100 MiB and every core, so that a crowd at the sign-in page waits."""

    def encode(self, password: str, salt: str) -> str:
        with _turnstile:
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        with _turnstile:
            return super().verify(password, encoded)

"""Rows of accounts beyond Django's users: API tokens, links to the first account, the health check's own row."""

from django.db import models
from knox.models import AbstractAuthToken


class ApiToken(AbstractAuthToken):
    """A key of one user for REST clients. The token itself is shown once; only its SHA-512 is kept.

    `token_key` is its first 15 characters, which tell it apart on pages and in open sockets.
    """

    name = models.CharField(max_length=100)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "API token"

    def __str__(self) -> str:
        return f"{self.token_key}…"


class SetupLink(models.Model):
    """A link that makes the first account; void as soon as any account exists. Only its SHA-256 is kept."""

    digest = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"set-up link of {self.made_at:%Y-%m-%d %H:%M}"


class Probe(models.Model):
    """The row that /readyz writes to find out whether the database takes writes."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"written {self.at:%Y-%m-%d %H:%M:%S}"

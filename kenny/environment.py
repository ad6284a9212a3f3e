"""Typed reads of the environment. Every secret X may also stand in a file that X_FILE names.

A wrong value raises `ImproperlyConfigured` with one line that names the variable and never shows its value.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})
ENGINES = ("django.db.backends.postgresql", "django.db.backends.sqlite3")

_env = environ.FileAwareEnv()


def text(name: str, *, default: str = "") -> str:
    """Return the value without the white space around it (files end in a line break); empty counts as absent."""
    try:
        value = _env.ENVIRON[name].strip()
    except KeyError:
        return default
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE names a file that cannot be read.") from error
    return value or default


def flag(name: str, *, default: bool) -> bool:
    value = text(name).lower()
    if not value:
        return default
    if value not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} must be one of 1, true, yes, on, 0, false, no, off.")
    return value in TRUE


def number(name: str, *, default: int, least: int, most: int) -> int:
    value = text(name)
    if not value:
        return default
    # isdigit() also holds for digits that int() refuses, and int() takes "1_0".
    if not (value.isascii() and value.isdigit()) or not least <= int(value[:20]) <= most:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}.")
    return int(value)


def choice(name: str, *, default: str, among: tuple[str, ...]) -> str:
    value = text(name, default=default)
    if value not in among:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(among)}.")
    return value


def words(name: str) -> list[str]:
    """Return the parts of a comma-separated list."""
    return [word.strip() for word in text(name).split(",") if word.strip()]


def origins(name: str, *, default: str) -> list[str]:
    """Return origins (scheme://host[:port], lower case, no path), at least one."""
    return [_origin(name, url) for url in words(name) or [default]]


def _origin(name: str, url: str) -> str:
    wrong = ImproperlyConfigured(
        f"{name} must be a URL such as https://kenny.example, without a path."
    )
    try:
        parts = urlsplit(url.lower())
        port = parts.port
    except ValueError as error:
        raise wrong from error
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/"):
        raise wrong
    if parts.query or parts.fragment or parts.username is not None:
        raise wrong
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    # Browsers leave the scheme's own port out of Origin.
    own = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" if port in {None, own} else f"{parts.scheme}://{host}:{port}"


def url(name: str, *, schemes: tuple[str, ...]) -> str:
    """Return a URL of one of `schemes`, or "" when absent."""
    value = text(name)
    if value and (urlsplit(value).scheme not in schemes or "://" not in value):
        raise ImproperlyConfigured(f"{name} must be a URL that begins with {schemes[0]}://.")
    return value


def database(name: str, *, default: Path) -> dict[str, Any]:
    """Return Django's settings for PostgreSQL or SQLite; `default` is the SQLite file used without the variable."""
    value = text(name)
    if not value:
        return {"ENGINE": ENGINES[1], "NAME": str(default)}
    wrong = ImproperlyConfigured(
        f"{name} must look like postgres://user:password@host:5432/name or sqlite:////folder/file."
    )
    if urlsplit(value).scheme not in {"postgres", "postgresql", "sqlite"}:
        raise wrong
    try:
        found: dict[str, Any] = environ.Env.db_url_config(value)
    except ValueError as error:
        raise wrong from error
    if found.get("ENGINE") not in ENGINES or not found.get("NAME"):
        raise wrong
    return found


def email(name: str) -> dict[str, Any]:
    """Return Django's EMAIL_* settings, or none when the variable is absent."""
    value = url(name, schemes=("smtp", "smtp+tls", "smtp+ssl", "consolemail", "filemail"))
    if not value:
        return {}
    try:
        found: dict[str, Any] = environ.Env.email_url_config(value)
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(
            f"{name} must look like smtp+tls://user:password@host:587."
        ) from error
    return found

"""The data folder: who may read it, the secret key in it, and the lock of the one server on it."""

import fcntl
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SECRET = "secret-key"  # noqa: S105  the file's name
LOCK = "server.lock"


class Occupied(Exception):
    """Another server holds the lock of this data folder."""


def prepare(folder: Path) -> Path:
    """Make the folder if need be, for this account only, and return it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise ImproperlyConfigured(
            "KENNY_DATA_DIR names a folder that cannot be made or kept private."
        ) from error
    return folder


def secret_key(folder: Path) -> str:
    """Return the key kept in the folder; make it at the first call.

    Two first starts at once must agree on one key: the file appears whole, by a link that fails for the second.
    """
    path = prepare(folder) / SECRET
    try:
        return path.read_text().strip() or _make(path)
    except FileNotFoundError:
        return _make(path)
    except OSError as error:
        raise ImproperlyConfigured(
            f"KENNY_DATA_DIR holds a file {SECRET} that cannot be read."
        ) from error


def _make(path: Path) -> str:
    draft = path.with_name(f"{SECRET}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600)
    try:
        draft.write_text(secrets.token_urlsafe(64))
        if path.exists() and not path.read_text().strip():
            path.unlink()  # left empty by a full disk
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text().strip()


def lock(folder: Path) -> int:
    """Take the folder's lock for the life of this process and return its descriptor. Raises Occupied."""
    descriptor = os.open(prepare(folder) / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise Occupied from error
    return descriptor

"""Steps into a folder, one name at a time and by descriptor, so that no swapped link can lead a step elsewhere.

Nothing here ever follows a link: each folder is opened relative to the one before with O_NOFOLLOW, and a file is
looked at again after it was opened.
"""

import errno
import fcntl
import os
import stat
import time
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from chat.tools.base import ToolFailed
from chat.tools.names import key
from chat.visible import visible_line

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
LOCK = "lock"
_LOCK = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
LOCK_PATIENCE = 10.0

_SENTENCES = {
    errno.ENOENT: "There is no file or folder with that path.",
    errno.ENOTDIR: "A part of the path is a file or a link, not a folder.",
    errno.ELOOP: "A part of the path is a link; links are not followed.",
    errno.EISDIR: "The path names a folder.",
    errno.EACCES: "The server may not touch that file.",
    errno.EPERM: "The server may not touch that file.",
    errno.ENOSPC: "The server's disk is full; nothing was changed.",
    errno.EDQUOT: "The server's disk is full; nothing was changed.",
    errno.EROFS: "The server's disk is read-only; nothing was changed.",
    errno.EINVAL: "A folder cannot be moved into itself.",
    errno.ENOTEMPTY: "The folder is not empty; delete what it holds first.",
    errno.EXDEV: "The two paths are on different disks of the server.",
    errno.ENAMETOOLONG: "A name in the path is too long.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One entry met on a walk; `folder` is the open descriptor it stands in, valid until the walk goes on."""

    names: tuple[str, ...]
    info: os.stat_result
    folder: int

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.info.st_mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.info.st_mode)


@contextmanager
def clear_words() -> Iterator[None]:
    """Turn an OSError into ToolFailed without its path. Only for steps that have had no effect yet."""
    try:
        yield
    except OSError as error:
        raise ToolFailed(
            _SENTENCES.get(error.errno or 0, "The server could not use that file.")
        ) from None


def named(folder: int, name: str) -> str | None:
    """Return the entry of `folder` called `name` as the disk spells it, None if there is none.

    Raises ToolFailed when only an entry of another spelling is there: on some file systems the two are one file,
    and to a reader they are everywhere.
    """
    entries = os.listdir(folder)
    if name in entries:
        return name
    wanted = key(name)
    for entry in entries:
        if unicodedata.normalize("NFC", entry) == name:
            return entry
        if key(entry) == wanted:
            raise ToolFailed(
                f"There is only an entry with another spelling of that name: {visible_line(entry)}"
            )
    return None


def look(folder: int, name: str) -> os.stat_result | None:
    """Return what stands under `name` itself (a link is a link), None if nothing does."""
    entry = named(folder, name)
    return None if entry is None else os.stat(entry, dir_fd=folder, follow_symlinks=False)


def enter(stack: ExitStack, folder: int, names: Sequence[str]) -> int:
    """Return a descriptor of the folder `names` below `folder`; `stack` closes all steps. Raises OSError."""
    for name in names:
        entry = named(folder, name)
        if entry is None:
            raise FileNotFoundError(errno.ENOENT, "no such folder")
        folder = os.open(entry, FOLDER, dir_fd=folder)
        stack.callback(os.close, folder)
    return folder


def read(folder: int, entry: str, *, limit: int) -> tuple[bytes, int]:
    """Return the first `limit` bytes of a plain file and its whole size. Raises ToolFailed, OSError."""
    _plain(os.stat(entry, dir_fd=folder, follow_symlinks=False))
    # O_NONBLOCK and the second look: between the two a pipe or a link may have taken the place of the file.
    file = os.open(entry, _FILE, dir_fd=folder)
    with os.fdopen(file, "rb") as opened:
        info = os.fstat(opened.fileno())
        _plain(info)
        return opened.read(limit), info.st_size


def level(folder: int, *, names: tuple[str, ...] = (), skip: str = "") -> Iterator[Found]:
    """Yield what stands directly in `folder`, sorted; `skip` names an entry that is left out."""
    for entry in sorted(os.listdir(folder)):
        with suppress(FileNotFoundError):
            if entry != skip:
                info = os.stat(entry, dir_fd=folder, follow_symlinks=False)
                yield Found(names=(*names, entry), info=info, folder=folder)


def walk(folder: int, *, names: tuple[str, ...] = (), skip: str = "") -> Iterator[Found]:
    """Yield everything below `folder`, a folder before what it holds; `skip` applies to the first level."""
    for found in level(folder, names=names, skip=skip):
        yield found
        if found.is_folder:
            yield from _below(found)


def _below(found: Found) -> Iterator[Found]:
    with ExitStack() as stack:
        try:
            inner = os.open(found.names[-1], FOLDER, dir_fd=found.folder)
        except OSError:
            return  # it went away or became a link since it was looked at
        stack.callback(os.close, inner)
        yield from walk(inner, names=found.names)


@contextmanager
def locked(folder: int) -> Iterator[None]:
    """Hold the lock file of `folder` against other threads and processes. Raises ToolFailed after 10 s."""
    lock = os.open(LOCK, _LOCK, 0o600, dir_fd=folder)
    try:
        until = time.monotonic() + LOCK_PATIENCE
        while not _taken(lock):
            if time.monotonic() > until:
                raise ToolFailed("Another change to the workspace is taking long; try again.")
            time.sleep(0.01)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _plain(info: os.stat_result) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise ToolFailed("The path names a folder.")
    if stat.S_ISLNK(info.st_mode):
        raise ToolFailed("The path names a link; links are not followed.")
    if not stat.S_ISREG(info.st_mode):
        raise ToolFailed("The path names a device or pipe, not a file.")
    if info.st_nlink > 1:
        raise ToolFailed(
            "The file has a second name outside the workspace's control and is left alone."
        )

"""Putting an entry into a folder wholly or not at all; the caller holds the workspace's lock."""

import os
import secrets
import stat
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from chat.tools import descent
from chat.tools.base import ToolFailed
from chat.tools.names import key

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def stage(house: int, data: bytes) -> str:
    """Write `data` to a new file of `house` and flush it to disk; return its name. Raises OSError, then nothing stays."""
    name = secrets.token_hex(8)
    file = os.open(name, _NEW, 0o600, dir_fd=house)
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
    except OSError:
        os.unlink(name, dir_fd=house)
        raise
    return name


def deepest(stack: ExitStack, root: int, names: Sequence[str]) -> tuple[int, list[str]]:
    """Return the deepest folder on the way `names` that exists, and the names that are missing below it."""
    folder = root
    for at, name in enumerate(names):
        if descent.named(folder, name) is None:
            return folder, list(names[at:])
        folder = descent.enter(stack, folder, [name])
    return folder, []


def arrive(
    stack: ExitStack, *, source: tuple[int, str], folder: int, missing: Sequence[str], name: str
) -> list[int]:
    """Make the `missing` folders below `folder` and rename `source` (folder, entry) to `name` in the last one.

    Returns the descriptors whose entries changed, to be flushed to disk. Raises OSError, then nothing has changed.
    """
    chain = [folder]
    made: list[tuple[int, str]] = []
    try:
        for step in missing:
            os.mkdir(step, 0o700, dir_fd=chain[-1])
            made.append((chain[-1], step))
            chain.append(descent.enter(stack, chain[-1], [step]))
        os.rename(source[1], name, src_dir_fd=source[0], dst_dir_fd=chain[-1])
    except OSError:
        with suppress(OSError):
            for parent, step in reversed(made):
                os.rmdir(step, dir_fd=parent)
        raise
    return chain


def check_replaceable(old: os.stat_result | None) -> None:
    """A write may take the place of nothing or of a plain file, of nothing else. Raises ToolFailed."""
    if old is None:
        return
    if stat.S_ISDIR(old.st_mode):
        raise ToolFailed("There is a folder with that path; a file cannot take its place.")
    if not stat.S_ISREG(old.st_mode) or old.st_nlink > 1:
        raise ToolFailed("There is a link or device with that path; it is left alone.")


def check_movable(info: os.stat_result | None) -> os.stat_result:
    """Return `info` if it is a plain file or a folder. Raises ToolFailed."""
    if info is None:
        raise ToolFailed("There is no file or folder with that path.")
    if not stat.S_ISDIR(info.st_mode) and (not stat.S_ISREG(info.st_mode) or info.st_nlink > 1):
        raise ToolFailed("The path names a link or device; it is left alone.")
    return info


def check_free(folder: int, name: str, *, source: tuple[int, str]) -> None:
    """Refuse a name that is taken, by itself or by one that looks the same; a new spelling of `source` is free."""
    twins = {entry for entry in os.listdir(folder) if key(entry) == key(name)}
    if os.path.samestat(os.fstat(folder), os.fstat(source[0])) and name != source[1]:
        twins.discard(source[1])
    if twins:
        raise ToolFailed(
            "There is already an entry of that name, or of one that looks the same, at `to`."
        )

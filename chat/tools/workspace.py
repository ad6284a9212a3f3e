"""The folder of one user: the only place where a path from a model becomes a file.

Read, list and walk follow no link and see plain files only. Changes are made one at a time under a lock, within a
quota, and so that they happen wholly or not at all: a file is written aside, flushed to disk and renamed into place.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from chat.tools import descent, placing, welcome
from chat.tools.base import ToolFailed
from chat.tools.names import HOUSE, parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a workspace may hold: bytes in all, files and folders in all, folders inside one another."""

    size: int = 100 * 1024 * 1024
    entries: int = 10_000
    depth: int = 16


LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """The beginning of a file, and its whole size in bytes."""

    data: bytes
    size: int


class Workspace:
    """One user's folder. Paths are relative, `/` between names. Every method may raise ToolFailed: then nothing
    has changed. An OSError means that a change was made and may not be on disk yet."""

    def __init__(self, folder: Path, *, limits: Limits = LIMITS) -> None:
        self._folder = folder
        self._limits = limits

    def entries(self, path: str = "") -> list[descent.Found]:
        """Return what stands directly in the folder `path`, sorted by name."""
        names = parts(path)
        with descent.clear_words(), self._root() as (stack, root):
            folder = descent.enter(stack, root, names)
            return list(descent.level(folder, names=names, skip="" if names else HOUSE))

    def read(self, path: str, *, limit: int) -> File:
        """Return at most the first `limit` bytes of the file `path`."""
        names = self._below_root(path)
        with descent.clear_words(), self._root() as (stack, root):
            folder = descent.enter(stack, root, names[:-1])
            entry = descent.named(folder, names[-1])
            if entry is None:
                raise ToolFailed("There is no file with that path.")
            data, size = descent.read(folder, entry, limit=limit)
            return File(data=data, size=size)

    def files(self, path: str = "", *, limit: int) -> Iterator[tuple[str, File]]:
        """Yield every plain file at or below `path`, by its path, with at most its first `limit` bytes."""
        names = parts(path)
        with descent.clear_words(), self._root() as (stack, root):
            above = descent.enter(stack, root, names[:-1])
            info = descent.look(above, names[-1]) if names else os.fstat(root)
            if info is None:
                raise ToolFailed("There is no file or folder with that path.")
            if not stat.S_ISDIR(info.st_mode):
                yield "/".join(names), self.read(path, limit=limit)
                return
            folder = descent.enter(stack, above, names[-1:])
            for found in descent.walk(folder, names=names, skip="" if names else HOUSE):
                file = _readable(found, limit=limit)
                if file is not None:
                    yield "/".join(found.names), file

    def write(self, path: str, data: bytes) -> bool:
        """Write the whole file `path`, making folders on the way; return whether it replaced one."""
        names = self._below_root(path)
        with ExitStack() as rest:
            with descent.clear_words():
                stack, root, house = rest.enter_context(self._changing())
                folder, missing = placing.deepest(stack, root, names[:-1])
                old = None if missing else descent.look(folder, names[-1])
                placing.check_replaceable(old)
                spelled = (
                    names[-1] if old is None else descent.named(folder, names[-1]) or names[-1]
                )
                self._check_room(
                    root,
                    size=len(data) - (old.st_size if old else 0),
                    entries=len(missing) + (not old),
                )
                staged = (house, placing.stage(house, data))
                changed = placing.arrive(
                    stack, source=staged, folder=folder, missing=missing, name=spelled
                )
            _flush(changed)
        return old is not None

    def move(self, source: str, target: str) -> None:
        """Give a file or folder another path, making folders on the way; never over something that exists."""
        old, new = self._below_root(source, field="from"), self._below_root(target, field="to")
        if new[: len(old)] == old and new != old:
            raise ToolFailed("A folder cannot be moved into itself.")
        with ExitStack() as rest:
            with descent.clear_words():
                stack, root, _ = rest.enter_context(self._changing())
                origin, entry, info = self._existing(stack, root, old)
                self._check_depth(stack, (origin, entry), info, depth=len(new))
                folder, missing = placing.deepest(stack, root, new[:-1])
                if not missing:
                    placing.check_free(folder, new[-1], source=(origin, entry))
                self._check_room(root, size=0, entries=len(missing))
                changed = placing.arrive(
                    stack, source=(origin, entry), folder=folder, missing=missing, name=new[-1]
                )
            _flush([*changed, origin])

    def delete(self, path: str) -> bool:
        """Delete a file or an empty folder; return whether it was a folder."""
        names = self._below_root(path)
        with ExitStack() as rest:
            with descent.clear_words():
                stack, root, _ = rest.enter_context(self._changing())
                folder, entry, info = self._existing(stack, root, names)
                is_folder = stat.S_ISDIR(info.st_mode)
                (os.rmdir if is_folder else os.unlink)(entry, dir_fd=folder)
            _flush([folder])
        return is_folder

    def _existing(
        self, stack: ExitStack, root: int, names: tuple[str, ...]
    ) -> tuple[int, str, os.stat_result]:
        """Return the folder, the spelling on disk and the looks of a plain file or folder. Raises ToolFailed."""
        folder = descent.enter(stack, root, names[:-1])
        info = placing.check_movable(descent.look(folder, names[-1]))
        return folder, descent.named(folder, names[-1]) or names[-1], info

    def _below_root(self, path: str, *, field: str = "path") -> tuple[str, ...]:
        names = parts(path, field=field)
        if not names:
            raise ToolFailed(f"`{field}` names the workspace itself; name something in it.")
        if len(names) > self._limits.depth:
            raise ToolFailed(f"`{field}` is deeper than {self._limits.depth} folders.")
        return names

    @contextmanager
    def _root(self) -> Iterator[tuple[ExitStack, int]]:
        if not self._folder.is_dir():
            welcome.furnish(self._folder)
        with ExitStack() as stack:
            root = os.open(self._folder, descent.FOLDER)
            stack.callback(os.close, root)
            yield stack, root

    @contextmanager
    def _changing(self) -> Iterator[tuple[ExitStack, int, int]]:
        """Yield the stack, the root and the house (for unfinished files) while the workspace is locked."""
        with self._root() as (stack, root):
            with suppress(FileExistsError):
                os.mkdir(HOUSE, 0o700, dir_fd=root)
            house = os.open(HOUSE, descent.FOLDER, dir_fd=root)
            stack.callback(os.close, house)
            stack.enter_context(descent.locked(house))
            # What is left here was left by a crash: the lock says that nobody is writing it.
            for left in descent.level(house, skip=descent.LOCK):
                os.unlink(left.names[-1], dir_fd=house)
            yield stack, root, house

    def _check_room(self, root: int, *, size: int, entries: int) -> None:
        """Refuse a change that needs `size` more bytes or `entries` more entries than there is room for."""
        used = [
            0 if found.is_folder else found.info.st_size for found in descent.walk(root, skip=HOUSE)
        ]
        if size > 0 and sum(used) + size > self._limits.size:
            raise ToolFailed(
                f"The workspace may hold {self._limits.size:,} bytes; delete something first."
            )
        if entries > 0 and len(used) + entries > self._limits.entries:
            raise ToolFailed(
                f"The workspace may hold {self._limits.entries:,} files and folders; delete some first."
            )

    def _check_depth(
        self, stack: ExitStack, source: tuple[int, str], info: os.stat_result, *, depth: int
    ) -> None:
        if not stat.S_ISDIR(info.st_mode):
            return
        folder = descent.enter(stack, source[0], [source[1]])
        below = max((len(found.names) for found in descent.walk(folder)), default=0)
        if depth + below > self._limits.depth:
            raise ToolFailed(
                f"What the folder holds would be deeper than {self._limits.depth} folders."
            )


def _readable(found: descent.Found, *, limit: int) -> File | None:
    """Return a file met on a walk; None for what is none, or is gone or closed to the server by now."""
    if not found.is_file:
        return None
    try:
        data, size = descent.read(found.folder, found.names[-1], limit=limit)
    except (ToolFailed, OSError):
        return None
    return File(data=data, size=size)


def _flush(folders: list[int]) -> None:
    """Make renames last. A failure here is no ToolFailed: the change was made."""
    for folder in folders:
        os.fsync(folder)


def of(user_id: int) -> Workspace:
    """Return the workspace of a user under `KENNY_DATA_DIR/workspaces`; it is made when it is first used."""
    return Workspace(_folder_of(user_id))


def discard(user_id: int) -> None:
    """Remove a user's folder with everything in it; one that was never made is no error. Raises OSError."""
    with suppress(FileNotFoundError):
        shutil.rmtree(_folder_of(user_id))


def _folder_of(user_id: int) -> Path:
    return Path(settings.KENNY_DATA_DIR) / "workspaces" / str(int(user_id))

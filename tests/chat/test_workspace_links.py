"""Links, pipes and races: whatever stands in the place of a file or folder leads nowhere."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from chat.tools import descent
from chat.tools.base import ToolFailed
from chat.tools.workspace import Workspace

CANARY = "canary-of-somebody-else"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "canary.txt").write_text(CANARY)
    return tmp_path / "workspaces" / "7"


@pytest.fixture
def space(folder: Path) -> Workspace:
    made = Workspace(folder)
    made.entries()
    return made


def paths(space: Workspace, path: str = "") -> list[str]:
    return ["/".join(found.names) for found in space.entries(path)]


class TestLinks:
    @pytest.fixture
    def outside(self, tmp_path: Path) -> Path:
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "secret.txt").write_text(CANARY)
        return outside

    def test_a_linked_file_is_neither_read_written_moved_nor_deleted(
        self, space: Workspace, folder: Path, outside: Path
    ) -> None:
        (folder / "link.txt").symlink_to(outside / "secret.txt")

        for act in (
            lambda: space.read("link.txt", limit=99),
            lambda: list(space.files("link.txt", limit=99)),
            lambda: space.write("link.txt", b"x"),
            lambda: space.move("link.txt", "y.txt"),
            lambda: space.delete("link.txt"),
        ):
            with pytest.raises(ToolFailed, match="link"):
                act()
        assert (outside / "secret.txt").read_text() == CANARY

    def test_a_linked_folder_is_not_entered(
        self, space: Workspace, folder: Path, outside: Path
    ) -> None:
        (folder / "link").symlink_to(outside)

        for act in (
            lambda: space.entries("link"),
            lambda: space.read("link/secret.txt", limit=99),
            lambda: space.write("link/new.txt", b"x"),
            lambda: space.write("link/sub/new.txt", b"x"),
            lambda: space.move("README.txt", "link/new.txt"),
            lambda: space.move("link/secret.txt", "mine.txt"),
            lambda: space.delete("link/secret.txt"),
            lambda: list(space.files("link", limit=99)),
        ):
            with pytest.raises(ToolFailed):
                act()
        assert [entry.name for entry in outside.iterdir()] == ["secret.txt"]
        assert all(CANARY.encode() not in file.data for _, file in space.files(limit=99))

    def test_a_hard_link_is_left_alone(self, space: Workspace, folder: Path, outside: Path) -> None:
        (folder / "twin.txt").hardlink_to(outside / "secret.txt")

        for act in (
            lambda: space.read("twin.txt", limit=99),
            lambda: space.write("twin.txt", b"x"),
            lambda: space.move("twin.txt", "y.txt"),
            lambda: space.delete("twin.txt"),
        ):
            with pytest.raises(ToolFailed):
                act()
        assert (outside / "secret.txt").read_text() == CANARY
        assert all(path != "twin.txt" for path, _ in space.files(limit=99))

    def test_a_pipe_blocks_nobody(self, space: Workspace, folder: Path) -> None:
        os.mkfifo(folder / "pipe")

        with pytest.raises(ToolFailed, match="device or pipe"):
            space.read("pipe", limit=9)
        with pytest.raises(ToolFailed):
            space.write("pipe", b"x")

        assert [path for path, _ in space.files(limit=9)] == ["README.txt", "welcome.png"]


@contextmanager
def busily(act: Callable[[], None]) -> Iterator[None]:
    """Repeat `act` in another thread for as long as the block lasts."""
    over = threading.Event()

    def repeat() -> None:
        while not over.is_set():
            with suppress(OSError):
                act()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class TestRaces:
    def test_a_folder_swapped_for_a_link_leads_nowhere(
        self, space: Workspace, folder: Path, tmp_path: Path
    ) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "a.txt").write_text(CANARY)
        space.write("real/a.txt", b"mine")
        (folder / "link").symlink_to(outside)
        place = folder / "swap"

        def swap() -> None:
            (folder / "real").rename(place)
            place.rename(folder / "real")
            (folder / "link").rename(place)
            place.rename(folder / "link")

        seen: set[bytes] = set()
        with busily(swap):
            for _ in range(120):
                with suppress(ToolFailed):
                    seen.add(space.read("swap/a.txt", limit=99).data)
                with suppress(ToolFailed):
                    space.write("swap/b.txt", b"mine")

        assert seen <= {b"mine"}
        assert [entry.name for entry in outside.iterdir()] == ["a.txt"]
        assert (outside / "a.txt").read_text() == CANARY

    def test_a_file_swapped_for_a_link_or_pipe_is_not_read(
        self, space: Workspace, folder: Path, tmp_path: Path
    ) -> None:
        space.write("mine", b"mine")
        (folder / "link").symlink_to(tmp_path / "canary.txt")
        os.mkfifo(folder / "pipe")

        def swap() -> None:
            for name in ("mine", "link", "pipe"):
                (folder / name).rename(folder / "swap")
                (folder / "swap").rename(folder / name)

        seen: set[bytes] = set()
        with busily(swap):
            for _ in range(600):
                with suppress(ToolFailed):
                    seen.add(space.read("swap", limit=99).data)

        assert seen <= {b"mine"}


class TestTheLastMoment:
    """What a race does only now and then, done each time: the file is swapped right before it is opened."""

    @pytest.fixture
    def swap(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
        really = os.open

        def swap(other: str) -> None:
            def swapping(path: str, flags: int, *rest: int, **more: int) -> int:
                if path == "mine.txt":
                    (folder / other).rename(folder / "mine.txt")
                return really(path, flags, *rest, **more)

            monkeypatch.setattr(os, "open", swapping)

        return swap

    def test_a_link_is_not_followed(
        self, space: Workspace, folder: Path, tmp_path: Path, swap: Callable[[str], None]
    ) -> None:
        space.write("mine.txt", b"mine")
        (folder / "link").symlink_to(tmp_path / "canary.txt")
        swap("link")

        with pytest.raises(ToolFailed, match="link"):
            space.read("mine.txt", limit=99)

    def test_a_walk_goes_on_past_a_file_that_is_gone(
        self, space: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        really = descent.read

        def gone(at: int, entry: str, *, limit: int) -> tuple[bytes, int]:
            if entry == "README.txt":
                (folder / entry).unlink()
            return really(at, entry, limit=limit)

        monkeypatch.setattr(descent, "read", gone)

        assert [path for path, _ in space.files(limit=9)] == ["welcome.png"]

    @pytest.mark.timeout(10)
    def test_a_pipe_or_a_hard_link_is_not_read(
        self, space: Workspace, folder: Path, tmp_path: Path, swap: Callable[[str], None]
    ) -> None:
        for name in ("pipe", "twin"):
            space.write("mine.txt", b"mine")
            if name == "pipe":
                os.mkfifo(folder / name)
            else:
                (folder / name).hardlink_to(tmp_path / "canary.txt")
            swap(name)
            with pytest.raises(ToolFailed):
                space.read("mine.txt", limit=99)
            (folder / "mine.txt").unlink()

    def test_what_is_no_file_is_not_even_opened(
        self, space: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        os.mkfifo(folder / "pipe")
        opened: list[str] = []
        really = os.open

        def watching(path: str, flags: int, *rest: int, **more: int) -> int:
            opened.append(str(path))
            return really(path, flags, *rest, **more)

        monkeypatch.setattr(os, "open", watching)
        with pytest.raises(ToolFailed):
            space.read("pipe", limit=9)

        assert "pipe" not in opened

"""The folder of one user: what it holds at first, how it is written and how much fits in."""

import errno
import fcntl
import os
import threading
from pathlib import Path

import pytest
from PIL import Image
from pytest_django import Settings

from chat.tools import descent, welcome, workspace
from chat.tools.base import ToolFailed
from chat.tools.names import HOUSE
from chat.tools.workspace import Limits, Workspace

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


class TestFirstUse:
    def test_makes_a_private_folder_with_a_note_and_a_picture(self, folder: Path) -> None:
        held = paths(Workspace(folder))

        assert held == ["README.txt", "welcome.png"]
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {entry.stat().st_mode & 0o777 for entry in folder.iterdir()} == {0o600}
        assert [entry.name for entry in folder.parent.iterdir()] == ["7"]

    def test_the_picture_is_an_image_of_its_size(self, folder: Path) -> None:
        Workspace(folder).entries()

        with Image.open(folder / "welcome.png") as picture:
            picture.load()
            assert (picture.format, picture.size) == ("PNG", (640, 300))

    def test_an_emptied_workspace_stays_empty(self, space: Workspace) -> None:
        space.delete("README.txt")
        space.delete("welcome.png")

        assert paths(space) == []

    def test_two_first_uses_at_once_make_one_workspace(self, folder: Path) -> None:
        welcome.furnish(folder)
        (folder / "mine.txt").write_text("mine")

        welcome.furnish(folder)

        assert (folder / "mine.txt").read_text() == "mine"
        assert [entry.name for entry in folder.parent.iterdir()] == ["7"]

    def test_is_found_under_the_data_folder_by_user(
        self, tmp_path: Path, settings: Settings
    ) -> None:
        settings.KENNY_DATA_DIR = tmp_path

        workspace.of(12).write("mine.txt", b"mine")

        assert (tmp_path / "workspaces" / "12" / "mine.txt").read_bytes() == b"mine"
        assert "mine.txt" not in paths(workspace.of(13))

    def test_a_link_in_its_place_is_not_used(self, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "7").symlink_to(tmp_path / "elsewhere")

        with pytest.raises(ToolFailed):
            Workspace(tmp_path / "7").write("x.txt", b"x")

        assert list((tmp_path / "elsewhere").iterdir()) == []


class TestWrite:
    def test_makes_folders_on_the_way_and_says_whether_it_replaced(
        self, space: Workspace, folder: Path
    ) -> None:
        first = space.write("notes/2026/valves.txt", b"V1")
        second = space.write("./notes/2026/valves.txt", b"V2")

        assert (first, second) == (False, True)
        assert (folder / "notes/2026/valves.txt").read_bytes() == b"V2"
        assert (folder / "notes/2026").stat().st_mode & 0o777 == 0o700
        assert (folder / "notes/2026/valves.txt").stat().st_mode & 0o777 == 0o600

    def test_shows_the_old_or_the_new_text_and_nothing_between(
        self, space: Workspace, folder: Path
    ) -> None:
        space.write("a.txt", b"old")
        with (folder / "a.txt").open("rb") as reader:
            space.write("a.txt", b"new, and longer")

            assert reader.read() == b"old"
        assert space.read("a.txt", limit=99).data == b"new, and longer"

    def test_leaves_nothing_behind_when_the_disk_fails(
        self, space: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "no space", "/a/path/of/the/server")

        monkeypatch.setattr(os, "rename", full)
        with pytest.raises(ToolFailed, match="disk is full") as failed:
            space.write("new/deep/a.txt", b"text")

        assert "server/" not in str(failed.value)
        assert not (folder / "new").exists()

    def test_clears_away_what_a_crash_left(self, space: Workspace, folder: Path) -> None:
        space.write("a.txt", b"a")
        (folder / HOUSE / "0123456789abcdef").write_bytes(b"half")

        space.write("b.txt", b"b")

        assert sorted(entry.name for entry in (folder / HOUSE).iterdir()) == ["lock"]

    def test_a_failure_while_staging_leaves_no_file(
        self, space: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(_: int) -> None:
            raise OSError(errno.EIO, "i/o")

        monkeypatch.setattr(os, "fsync", broken)
        with pytest.raises(ToolFailed):
            space.write("a.txt", b"a")

        assert not (folder / "a.txt").exists()
        assert [entry.name for entry in (folder / HOUSE).iterdir()] == ["lock"]

    @pytest.mark.parametrize("path", ["", ".", "./"])
    def test_refuses_the_workspace_itself(self, space: Workspace, path: str) -> None:
        with pytest.raises(ToolFailed, match="names the workspace itself"):
            space.write(path, b"x")

    def test_refuses_the_place_of_a_folder(self, space: Workspace) -> None:
        space.write("notes/a.txt", b"a")

        with pytest.raises(ToolFailed, match="There is a folder"):
            space.write("notes", b"x")

    def test_refuses_a_file_as_a_folder(self, space: Workspace) -> None:
        with pytest.raises(ToolFailed, match="not a folder"):
            space.write("README.txt/x", b"x")


class TestQuota:
    def test_counts_bytes_of_all_files(self, folder: Path) -> None:
        space = Workspace(folder, limits=Limits(size=30_000))

        space.write("a.bin", b"x" * 5_000)
        with pytest.raises(ToolFailed, match="30,000 bytes"):
            space.write("sub/b.bin", b"x" * 5_000)

        assert not (folder / "sub").exists()

    def test_a_smaller_text_may_replace_a_larger_one_in_a_full_workspace(
        self, folder: Path
    ) -> None:
        Workspace(folder).write("a.bin", b"x" * 5_000)
        space = Workspace(folder, limits=Limits(size=100))

        space.write("a.bin", b"x" * 4_000)

        assert (folder / "a.bin").stat().st_size == 4_000

    def test_counts_files_and_folders(self, folder: Path) -> None:
        space = Workspace(folder, limits=Limits(entries=4))

        space.write("a/b.txt", b"")
        with pytest.raises(ToolFailed, match="4 files and folders"):
            space.write("c.txt", b"")
        with pytest.raises(ToolFailed, match="4 files and folders"):
            space.move("a/b.txt", "c/b.txt")

        space.write("a/b.txt", b"replaced")
        assert not (folder / "c").exists()

    def test_a_file_may_be_replaced_where_too_many_are_already(self, folder: Path) -> None:
        Workspace(folder).write("a/b.txt", b"")
        space = Workspace(folder, limits=Limits(entries=2))

        space.write("a/b.txt", b"new")
        space.move("a/b.txt", "a/c.txt")

        assert paths(space, "a") == ["a/c.txt"]

    def test_a_change_waits_for_another_process_and_not_for_ever(
        self, space: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        space.write("a.txt", b"a")
        monkeypatch.setattr(descent, "LOCK_PATIENCE", 0.05)

        with (folder / HOUSE / "lock").open() as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            with pytest.raises(ToolFailed, match="Another change"):
                space.write("a.txt", b"b")

        assert space.write("a.txt", b"c")

    def test_writers_at_once_stay_within_it_together(self, folder: Path) -> None:
        space = Workspace(folder, limits=Limits(size=25_000))
        space.entries()
        refused: list[str] = []

        def write(number: int) -> None:
            try:
                space.write(f"{number}.bin", b"x" * 1_000)
            except ToolFailed as failed:
                refused.append(str(failed))

        threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        used = sum(found.info.st_size for found in space.entries())
        assert used <= 25_000
        assert len(refused) == 8 - sum(found.names[0].endswith(".bin") for found in space.entries())

    def test_depth_is_limited_for_writes_and_for_moved_folders(self, folder: Path) -> None:
        space = Workspace(folder, limits=Limits(depth=3))
        space.write("a/b/c.txt", b"")

        with pytest.raises(ToolFailed, match="deeper than 3"):
            space.write("a/b/c/d.txt", b"")
        with pytest.raises(ToolFailed, match="deeper than 3"):
            space.move("a", "x/y")

        assert paths(space, "a/b") == ["a/b/c.txt"]

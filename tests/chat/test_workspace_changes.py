"""Moving and deleting in a workspace, and the spelling of names."""

import errno
import os
from pathlib import Path

import pytest

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


class TestMove:
    def test_moves_files_and_folders_and_makes_folders_on_the_way(self, space: Workspace) -> None:
        space.write("a/one.txt", b"1")

        space.move("a/one.txt", "b/c/two.txt")
        space.move("b", "d")

        assert space.read("d/c/two.txt", limit=9).data == b"1"
        assert paths(space, "a") == []

    def test_never_overwrites(self, space: Workspace) -> None:
        space.write("a.txt", b"a")
        space.write("b.txt", b"b")

        for target in ("b.txt", "a.txt", "B.TXT"):
            with pytest.raises(ToolFailed):
                space.move("a.txt", target)

        assert (space.read("a.txt", limit=9).data, space.read("b.txt", limit=9).data) == (
            b"a",
            b"b",
        )

    def test_changes_the_case_of_a_name(self, space: Workspace) -> None:
        space.write("a.txt", b"a")

        space.move("a.txt", "A.txt")

        assert "A.txt" in paths(space)
        assert "a.txt" not in paths(space)

    def test_refuses_a_folder_into_itself(self, space: Workspace) -> None:
        space.write("a/b.txt", b"b")

        with pytest.raises(ToolFailed, match="into itself"):
            space.move("a", "a/c")

    def test_names_the_field_that_is_wrong(self, space: Workspace) -> None:
        with pytest.raises(ToolFailed, match="`from`"):
            space.move("../x", "y")
        with pytest.raises(ToolFailed, match="`to`"):
            space.move("README.txt", "../y")
        with pytest.raises(ToolFailed, match="There is no file or folder"):
            space.move("nothing.txt", "y")

    def test_takes_the_folders_it_made_away_again_when_it_fails(
        self, space: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def denied(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "no")

        monkeypatch.setattr(os, "rename", denied)
        with pytest.raises(ToolFailed, match="may not touch"):
            space.move("README.txt", "x/y/z.txt")

        assert not (folder / "x").exists()


class TestDelete:
    def test_deletes_a_file_and_an_empty_folder(self, space: Workspace) -> None:
        space.write("a/b.txt", b"b")

        assert space.delete("a/b.txt") is False
        assert space.delete("a/") is True
        assert "a" not in paths(space)

    def test_refuses_a_folder_that_holds_something(self, space: Workspace) -> None:
        space.write("a/b.txt", b"b")

        with pytest.raises(ToolFailed, match="not empty"):
            space.delete("a")

        assert paths(space, "a") == ["a/b.txt"]

    def test_refuses_what_is_not_there_and_the_workspace_itself(self, space: Workspace) -> None:
        with pytest.raises(ToolFailed, match="There is no file"):
            space.delete("nothing")
        with pytest.raises(ToolFailed, match="workspace itself"):
            space.delete(".")


class TestSpelling:
    @pytest.mark.parametrize("twin", ["readme.txt", "README.TXT", "\uff32EADME.txt"])
    def test_another_spelling_is_neither_read_nor_made_beside_it(
        self, space: Workspace, twin: str
    ) -> None:
        for act in (
            lambda: space.read(twin, limit=9),
            lambda: space.write(twin, b"x"),
            lambda: space.delete(twin),
            lambda: space.write(f"{twin}/x", b"x"),
        ):
            with pytest.raises(ToolFailed, match="another spelling"):
                act()

        assert paths(space) == ["README.txt", "welcome.png"]

    def test_a_name_that_the_disk_holds_decomposed_is_found(
        self, space: Workspace, folder: Path
    ) -> None:
        (folder / "cafe\u0301.txt").write_bytes(b"old")

        replaced = space.write("caf\u00e9.txt", b"new")

        assert replaced
        assert (folder / "cafe\u0301.txt").read_bytes() == b"new"
        assert space.delete("cafe\u0301.txt") is False

    def test_a_name_that_is_no_utf8_does_not_stop_the_list(
        self, space: Workspace, folder: Path
    ) -> None:
        (folder / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"x")

        assert len(paths(space)) == 3

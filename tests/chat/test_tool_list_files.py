"""list_files: one folder, in order, with sizes, and never without end."""

import os
from pathlib import Path

import pytest
from pytest_django import Settings

from chat.tools import workspace
from chat.tools.base import Caller, ToolFailed
from chat.tools.list_files import LIST_FILES, MAX_ENTRIES

CALLER = Caller(user_id=7, conversation_id="c1", now_ms=0)


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.KENNY_DATA_DIR = tmp_path
    workspace.of(7).entries()
    return tmp_path / "workspaces" / "7"


def listed(**args: str) -> list[str]:
    return LIST_FILES.run(args, CALLER).text.split("\n")


class TestListFiles:
    def test_shows_files_with_sizes_and_folders_with_a_slash(self, folder: Path) -> None:
        workspace.of(7).write("notes/valves.txt", b"x" * 1234)

        assert listed(path="notes/") == ["notes/valves.txt  1,234 bytes"]
        assert [line.split("  ")[0] for line in listed()] == ["README.txt", "notes/", "welcome.png"]

    def test_says_that_a_folder_is_empty(self, folder: Path) -> None:
        (folder / "empty").mkdir()

        assert listed(path="empty") == ["(the folder is empty)"]

    def test_is_bounded_and_says_how_many_are_missing(self, folder: Path) -> None:
        (folder / "many").mkdir()
        for number in range(MAX_ENTRIES + 5):
            (folder / "many" / f"{number:05}").touch()

        lines = listed(path="many")

        assert len(lines) == MAX_ENTRIES + 1
        assert lines[-1] == "[… 5 more entries left out …]"

    def test_marks_links_and_shows_names_that_hide_something(self, folder: Path) -> None:
        (folder / "link").symlink_to("/")
        (folder / "a\u202eb\nc").touch()
        (folder / os.fsdecode(b"caf\xe9")).touch()

        lines = listed()

        assert "link  (a link or device, out of reach)" in lines
        assert "a\\u{202e}b\\u{a}c  0 bytes" in lines
        assert "caf\\u{dce9}  0 bytes" in lines

    def test_does_not_show_its_own_housekeeping(self, folder: Path) -> None:
        workspace.of(7).write("a.txt", b"")

        assert (folder / ".kenny").is_dir()
        assert not any("kenny" in line for line in listed())

    @pytest.mark.parametrize("path", ["README.txt", "nothing", "../7", "/", "~"])
    def test_fails_on_everything_that_is_no_folder_of_the_workspace(
        self, folder: Path, path: str
    ) -> None:
        with pytest.raises(ToolFailed) as failed:
            listed(path=path)

        assert str(folder.parent.parent) not in str(failed.value)

    def test_each_person_sees_their_own(self, folder: Path) -> None:
        workspace.of(7).write("mine.txt", b"")

        said = LIST_FILES.run({}, Caller(user_id=8, conversation_id="c1", now_ms=0)).text

        assert "mine.txt" not in said

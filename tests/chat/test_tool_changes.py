"""write_file, move_file, delete_file and current_time through the door the runner uses."""

from pathlib import Path

import pytest
from pytest_django import Settings

from chat.tools.base import Caller, Tier, ToolFailed
from chat.tools.current_time import CURRENT_TIME
from chat.tools.delete_file import DELETE_FILE
from chat.tools.move_file import MOVE_FILE
from chat.tools.write_file import WRITE_FILE

CALLER = Caller(user_id=7, conversation_id="c1", now_ms=1_764_500_000_999)


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.KENNY_DATA_DIR = tmp_path
    return tmp_path / "workspaces" / "7"


class TestChangingTools:
    def test_all_wait_for_a_person(self) -> None:
        assert {tool.tier for tool in (WRITE_FILE, MOVE_FILE, DELETE_FILE)} == {Tier.STATE_CHANGING}


class TestWriteFile:
    def test_writes_utf8_and_counts_bytes(self, folder: Path) -> None:
        first = WRITE_FILE.run({"path": "notes/a.txt", "content": "Grüße\n"}, CALLER)
        second = WRITE_FILE.run({"path": "notes/a.txt", "content": ""}, CALLER)

        assert first.text == "Made a new file: 8 bytes written."
        assert second.text == "Replaced the file: 0 bytes written."
        assert (folder / "notes/a.txt").read_bytes() == b""

    def test_refuses_half_a_character(self, folder: Path) -> None:
        with pytest.raises(ToolFailed, match="half a character"):
            WRITE_FILE.run({"path": "a.txt", "content": "\ud83d"}, CALLER)

        assert not (folder / "a.txt").exists()

    def test_refuses_a_way_out(self, tmp_path: Path) -> None:
        with pytest.raises(ToolFailed) as failed:
            WRITE_FILE.run({"path": "../8/a.txt", "content": "x"}, CALLER)

        assert str(failed.value) == "`path` may not lead upwards with `..`."
        assert not (tmp_path / "workspaces" / "8").exists()


class TestMoveFile:
    def test_moves(self, folder: Path) -> None:
        said = MOVE_FILE.run({"from": "README.txt", "to": "docs/readme.txt"}, CALLER)

        assert said.text == "Moved."
        assert (folder / "docs/readme.txt").exists()
        assert not (folder / "README.txt").exists()


class TestDeleteFile:
    def test_says_what_it_deleted(self, folder: Path) -> None:
        (folder / "x").mkdir(parents=True)
        (folder / "a.txt").touch()

        assert DELETE_FILE.run({"path": "a.txt"}, CALLER).text == "Deleted the file."
        assert DELETE_FILE.run({"path": "x"}, CALLER).text == "Deleted the empty folder."
        assert [entry.name for entry in folder.iterdir()] == [".kenny"]


class TestCurrentTime:
    def test_is_utc_to_the_second_with_the_weekday(self) -> None:
        assert CURRENT_TIME.run({}, CALLER).text == "2025-11-30T10:53:20Z, Sunday"

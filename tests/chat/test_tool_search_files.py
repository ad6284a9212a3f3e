"""search_files: lines by their words, in order, and never without end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from chat.tools import workspace
from chat.tools.base import Caller, ToolFailed
from chat.tools.search_files import MAX_FILE, MAX_HITS, MAX_SECONDS, SEARCH_FILES, search
from chat.tools.workspace import File

CALLER = Caller(user_id=7, conversation_id="c1", now_ms=0)


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.KENNY_DATA_DIR = tmp_path
    space = workspace.of(7)
    space.write("notes/b.txt", b"one\nOpen the VALVE\nthree")
    space.write("notes/a.txt", b"valve, valve\r\nshut")
    space.write("top.txt", "die große Ventil-Straße".encode())
    return tmp_path / "workspaces" / "7"


def found(**args: str) -> list[str]:
    return SEARCH_FILES.run(args, CALLER).text.split("\n")


class TestSearchFiles:
    def test_finds_lines_in_any_case_sorted_by_path(self) -> None:
        assert found(query="vAlVe") == [
            "notes/a.txt:1: valve, valve",
            "notes/b.txt:2: Open the VALVE",
        ]

    def test_folds_case_as_languages_do(self) -> None:
        assert found(query="STRASSE") == ["top.txt:1: die große Ventil-Straße"]

    def test_takes_the_words_literally(self) -> None:
        workspace.of(7).write("odd.txt", b"a.*b\naxxb")

        assert found(query="a.*b") == ["odd.txt:1: a.*b"]

    @pytest.mark.parametrize("path", ["notes", "notes/", "notes/b.txt"])
    def test_looks_only_below_the_path(self, path: str) -> None:
        assert found(query="three", path=path) == ["notes/b.txt:3: three"]
        assert found(query="Ventil", path=path) == ["(no hits)"]

    def test_shows_the_part_of_a_long_line_that_matters(self) -> None:
        workspace.of(7).write("long.txt", b"x" * 5_000 + b" needle " + b"y" * 5_000)

        [line] = found(query="needle")

        assert "needle" in line
        assert len(line) < 200
        assert (line.startswith("long.txt:1: …"), line.endswith("…")) == (True, True)

    def test_looks_into_no_binary_file_and_no_housekeeping(self, folder: Path) -> None:
        workspace.of(7).write("data.bin", b"\0valve")
        (folder / ".kenny" / "valve").write_text("valve")

        assert all(line.startswith("notes/") for line in found(query="valve"))

    @pytest.mark.parametrize("query", ["", "   ", "\n"])
    def test_refuses_to_look_for_nothing(self, query: str) -> None:
        with pytest.raises(ToolFailed, match="`query`"):
            found(query=query)

    @pytest.mark.parametrize("path", ["nothing", "../8", "/"])
    def test_refuses_a_path_that_is_not_there(self, path: str) -> None:
        with pytest.raises(ToolFailed):
            found(query="valve", path=path)


class TestBounds:
    def test_stops_after_enough_hits(self) -> None:
        workspace.of(7).write("many.txt", b"needle\n" * (MAX_HITS + 50))

        lines = found(query="needle")

        assert len(lines) == MAX_HITS + 1
        assert lines[-1].startswith(f"[… stopped after {MAX_HITS} hits")

    def test_stops_when_its_time_is_over(self) -> None:
        ticks = iter([0.0, 0.1, MAX_SECONDS + 1])

        def files() -> Iterator[tuple[str, File]]:
            for number in range(9):
                yield f"{number}.txt", File(data=b"needle", size=6)

        said = search(files(), wanted="needle", clock=lambda: next(ticks)).split("\n")

        assert said[0] == "0.txt:1: needle"
        assert said[1].startswith("[… stopped after 5 seconds")
        assert len(said) == 2

    def test_says_which_file_was_only_begun(self) -> None:
        workspace.of(7).write("huge.txt", b"x\n" * (MAX_FILE // 2) + b"needle")

        lines = found(query="needle")

        assert lines == ["(no hits)", f"[… huge.txt: only its first {MAX_FILE:,} bytes were searched …]"]  # fmt: skip

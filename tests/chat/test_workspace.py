"""The folder of one user: what it holds at first, what it does, what it refuses, and that there is no way out."""

import errno
import fcntl
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PIL import Image
from pytest_django import Settings

from chat.tools import descent, welcome, workspace
from chat.tools.base import ToolFailed
from chat.tools.names import HOUSE, MAX_NAME, MAX_PATH, key, parts
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


REFUSED = [
    "/etc/passwd", "//etc/passwd", "~/x", "~root/x", "..", "../x", "a/../../x", "a/..", "a//b", "a/./../b",
    "a\\..\\b", "C:\\x", "c:x", "a\0b", "a\nb", "a\tb", "a\x1b[31m", "a\x7fb", "x\u202etxt.exe", "a\u200bb",
    "a\ufeffb", "a\ud800b", "a\u2028b", "a\u00a0b", "a\U000e0041", "\ue000", "\uff0e\uff0e/x", "\u2025/x",
    "a\uff0fb", "a\uff3cb", "\u2100", " a", "a ", "a.", "...", "a/ b", "CON", "con.txt", "Nul", "aux.tar.gz",
    "LPT1", "com1.txt", "\uff23\uff2f\uff2e", ".kenny", ".kenny/lock", "a/.KENNY", ".\uff4benny", "\u00e4" * 101,
    "x" * (MAX_NAME + 1), "a/" * MAX_PATH,
]  # fmt: skip


class TestPaths:
    @pytest.mark.parametrize("path", REFUSED, ids=ascii)
    def test_refuses_whatever_is_no_plain_relative_path(self, path: str) -> None:
        with pytest.raises(ToolFailed) as failed:
            parts(path)

        assert str(failed.value).startswith("`path` ")

    @pytest.mark.parametrize(
        ("path", "names"),
        [
            ("", ()),
            (".", ()),
            ("./", ()),
            ("a", ("a",)),
            ("./a/b/", ("a", "b")),
            (".hidden/..a", (".hidden", "..a")),
            ("Grüße & Co/日本語.txt", ("Grüße & Co", "日本語.txt")),
            ("cafe\u0301", ("caf\u00e9",)),
            ("a b/what?*<>|\"'", ("a b", "what?*<>|\"'")),
        ],
    )
    def test_takes_ordinary_names(self, path: str, names: tuple[str, ...]) -> None:
        assert parts(path) == names

    def test_names_that_look_the_same_share_a_key(self) -> None:
        alike = ["straße", "STRASSE", "Straße", "\uff53trasse"]

        assert len({key(name) for name in alike}) == 1
        assert key("\u2121") == key("tel")


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


nasty = st.lists(
    st.one_of(
        st.sampled_from(["..", ".", "", "a", "A", "link", "deep", "canary.txt", "~", ".kenny", "lock", "con", "\0"]),
        st.sampled_from(["\uff0e\uff0e", "\u2025", "..\\..", "%2e%2e", "..;", "...", ".. ", "\u202e..", "C:", "\\\\srv"]),
        st.text(max_size=6),
    ),
    max_size=6,
).flatmap(lambda steps: st.sampled_from(["/", "//", "\\", "\u2215", "\uff0f"]).map(lambda by: by.join(steps)))  # fmt: skip


class TestNoWayOut:
    @given(
        path=nasty, other=nasty, lead=st.sampled_from(["", "/", "./", "~/", "../", "link/", "a/"])
    )
    @hypothesis_settings(max_examples=150, deadline=None)
    def test_no_generated_path_reads_or_changes_anything_outside(
        self, path: str, other: str, lead: str
    ) -> None:
        with tempfile.TemporaryDirectory() as made:
            base = Path(made).resolve()
            (base / "canary.txt").write_text(CANARY)
            (base / "workspaces/8").mkdir(parents=True)
            (base / "workspaces/8/canary.txt").write_text(CANARY)
            folder = base / "workspaces/7"
            (folder / "a").mkdir(parents=True)
            (folder / "link").symlink_to(base)
            (folder / "a/link").symlink_to(base / "workspaces/8")
            space, path = Workspace(folder), lead + path

            said: list[str] = []
            for act in (
                lambda: space.write(path, b"mine"),
                lambda: said.append(space.read(path, limit=99).data.decode(errors="replace")),
                lambda: said.extend("/".join(found.names) for found in space.entries(path)),
                lambda: said.extend(str(file) for file in space.files(path, limit=99)),
                lambda: space.move(path, other),
                lambda: space.move(other, path),
                lambda: space.delete(path),
            ):
                try:
                    act()
                except ToolFailed as failed:
                    said.append(str(failed))

            outside = sorted(
                str(entry.relative_to(base))
                for entry in base.rglob("*")
                if not entry.is_relative_to(folder)
            )
            assert outside == [
                "canary.txt",
                "workspaces",
                "workspaces/8",
                "workspaces/8/canary.txt",
            ]
            assert (base / "canary.txt").read_text() == CANARY
            assert not any(CANARY in words or str(base) in words for words in said)

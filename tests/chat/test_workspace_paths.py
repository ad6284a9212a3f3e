"""Which paths name something in a workspace, and that no generated one leads out of it."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from chat.tools.base import ToolFailed
from chat.tools.names import MAX_NAME, MAX_PATH, key, parts
from chat.tools.workspace import Workspace

CANARY = "canary-of-somebody-else"


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

"""read_file: text as text, pictures as pictures, and a sentence for everything else."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from pytest_django import Settings

from chat import images
from chat.tools import workspace
from chat.tools.base import Caller, Output, ToolFailed
from chat.tools.read_file import MAX_TEXT, READ_FILE

CALLER = Caller(user_id=7, conversation_id="c1", now_ms=0)


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.KENNY_DATA_DIR = tmp_path
    return tmp_path / "workspaces" / "7"


def holding(data: bytes) -> Output:
    workspace.of(7).write("file", data)
    return READ_FILE.run({"path": "file"}, CALLER)


def picture(kind: str) -> bytes:
    done = BytesIO()
    Image.new("RGB", (30, 20), "teal").save(done, kind)
    return done.getvalue()


class TestText:
    def test_comes_back_as_it_is(self) -> None:
        assert holding("Grüße,\r\n日本語\n".encode()) == Output(text="Grüße,\r\n日本語\n")

    def test_bytes_that_are_no_utf8_are_replaced(self) -> None:
        assert (
            holding(b"a caf\xe9 with some other words").text == "a caf\ufffd with some other words"
        )

    def test_says_that_a_file_is_empty(self) -> None:
        assert holding(b"").text == "(the file is empty)"

    @pytest.mark.parametrize("char", ["x", "é", "日", "🙂"])
    def test_up_to_the_limit_comes_whole(self, char: str) -> None:
        assert holding((char * MAX_TEXT).encode()).text == char * MAX_TEXT

    @pytest.mark.parametrize("char", ["x", "é", "日", "🙂"])
    @pytest.mark.parametrize("more", [1, 400_000])
    def test_above_the_limit_is_cut_and_says_how_much_is_missing(
        self, char: str, more: int
    ) -> None:
        text = holding((char * (MAX_TEXT + more)).encode()).text

        shown, last = text.rsplit("\n", 1)
        assert shown == char * MAX_TEXT
        assert last.startswith(f"[… about {more * len(char.encode()):,} more bytes left out")
        assert len(text) < 100_000

    @pytest.mark.parametrize("data", [b"\x7fELF\0\0", b"text\0text", b"\xff\xfeh\0i\0", bytes(range(128, 256)) * 9], ids=ascii)  # fmt: skip
    def test_binary_data_is_refused_with_its_size(self, data: bytes) -> None:
        with pytest.raises(ToolFailed, match=f"{len(data):,} bytes of binary data"):
            holding(data)


class TestImages:
    @pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp"])
    def test_come_back_to_be_looked_at_whatever_the_file_is_called(self, kind: str) -> None:
        data = picture(kind)

        output = holding(data)

        assert output.text == f"An image, image/{kind}, 30 x 20 pixels."
        assert [(image.media_type, image.data) for image in output.images] == [
            (f"image/{kind}", data)
        ]

    def test_the_welcome_picture_is_one(self) -> None:
        output = READ_FILE.run({"path": "welcome.png"}, CALLER)

        assert (output.text, len(output.images)) == ("An image, image/png, 640 x 300 pixels.", 1)

    def test_broken_ones_are_refused_with_a_sentence(self) -> None:
        with pytest.raises(ToolFailed, match="could not be read"):
            holding(picture("png")[:-30])

    def test_too_large_ones_are_refused_with_the_limit(self) -> None:
        with pytest.raises(ToolFailed, match=f"{images.MAX_BYTES:,} bytes at most"):
            holding(picture("png") + b"\0" * images.MAX_BYTES)


class TestRefused:
    @pytest.mark.parametrize("path", ["nothing", ".", "../8/README.txt", "/etc/passwd", "a/b"])
    def test_paths_that_are_no_file_of_the_workspace(self, path: str, tmp_path: Path) -> None:
        with pytest.raises(ToolFailed) as failed:
            READ_FILE.run({"path": path}, CALLER)

        assert str(tmp_path) not in str(failed.value)
        assert "passwd" not in str(failed.value)

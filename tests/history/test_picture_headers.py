"""What is read off the first bytes of an image, without decoding it."""

import base64
import struct
from io import BytesIO

import pytest
from PIL import Image

from history.pictures import Picture, read, size_of, sniff
from tests.support.drawn import TYPES, drawn, encoded

VP8X = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\x2b\x01\0" + b"\xc7\0\0"
VP8 = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 0xC12C, 0x40C8)
VP8L = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (299 | 199 << 14).to_bytes(4, "little")
PADDED = b"\xff\xd8\xff\xff\xff\xe0\0\x04ab\xff\xc4\0\x02\xff\xc2\0\x0b\x08\0\xc8\x01\x2c"


def source(data: bytes) -> dict[str, str]:
    return {"type": "base64", "data": base64.b64encode(data).decode()}


class TestSniff:
    @pytest.mark.parametrize("kind", TYPES)
    def test_tells_type_and_size_of_what_a_library_wrote(self, kind: str) -> None:
        data = encoded(drawn(300, 200), kind)

        assert sniff(data) == Picture(media_type=TYPES[kind], width=300, height=200)

    @pytest.mark.parametrize("how", [{"lossless": True}, {"lossless": False}])
    def test_reads_both_kinds_of_webp(self, how: dict[str, bool]) -> None:
        found = sniff(encoded(drawn(31, 17), "WEBP", **how))

        assert found == Picture(media_type="image/webp", width=31, height=17)

    def test_reads_the_extended_webp_of_an_animation(self) -> None:
        done = BytesIO()
        frames = [Image.new("RGBA", (40, 30), (n, 0, 0, n)) for n in (9, 99)]
        frames[0].save(done, "WEBP", save_all=True, append_images=frames[1:])

        assert done.getvalue()[12:16] == b"VP8X"
        assert sniff(done.getvalue()) == Picture(media_type="image/webp", width=40, height=30)

    @pytest.mark.parametrize("data", [VP8X, VP8, VP8L], ids=["VP8X", "VP8", "VP8L"])
    def test_needs_no_byte_beyond_the_size(self, data: bytes) -> None:
        """The two upper bits of a VP8 size say how it is scaled."""
        assert sniff(data) == Picture(media_type="image/webp", width=300, height=200)
        assert sniff(data[:-1]) == Picture(media_type="image/webp", width=0, height=0)

    def test_passes_padding_and_tables_to_the_frame_of_a_jpeg(self) -> None:
        assert sniff(PADDED) == Picture(media_type="image/jpeg", width=300, height=200)
        assert sniff(PADDED[:-1]) == Picture(media_type="image/jpeg", width=0, height=0)

    @pytest.mark.parametrize("marker", [0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xC9, 0xCB, 0xCD, 0xCF])
    def test_knows_every_start_of_frame(self, marker: int) -> None:
        data = b"\xff\xd8\xff" + bytes([marker]) + b"\0\x0b\x08\0\x07\0\x09"

        assert sniff(data) == Picture(media_type="image/jpeg", width=9, height=7)

    def test_reads_a_side_of_40000_pixels(self) -> None:
        data = b"\xff\xd8\xff\xc0\0\x0b\x08\x9c\x40\x9c\x41"

        assert sniff(data) == Picture(media_type="image/jpeg", width=40001, height=40000)

    @pytest.mark.parametrize("marker", [0xC4, 0xC8, 0xCC, 0xBF, 0xD0])
    def test_takes_no_table_for_a_frame(self, marker: int) -> None:
        data = b"\xff\xd8\xff" + bytes([marker]) + b"\0\x0b\x08\0\x07\0\x09" + b"\0" * 4

        assert sniff(data) == Picture(media_type="image/jpeg", width=0, height=0)

    @pytest.mark.parametrize(
        ("data", "media_type"),
        [
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIDAT\0\0\0\x09\0\0\0\x09", "image/png"),
            (b"GIF89a\x09", "image/gif"),
            (b"GIF87a\x09\0\x09", "image/gif"),
            (b"\xff\xd8\xff", "image/jpeg"),
            (b"\xff\xd8\xff\xe0\0\x02no marker", "image/jpeg"),
            (b"RIFF\0\0\0\0WEBPXXXX", "image/webp"),
        ],
    )
    def test_knows_no_size_where_the_header_is_cut(self, data: bytes, media_type: str) -> None:
        assert sniff(data) == Picture(media_type=media_type, width=0, height=0)

    @pytest.mark.parametrize(
        "data", [b"", b"<svg/>", b"RIFF\0\0\0\0WAVE", b"XXXX\0\0\0\0WEBP", b"\x89PNX", b"GIF90a"]
    )
    def test_knows_nothing_else(self, data: bytes) -> None:
        assert sniff(data) is None


class TestRead:
    def test_takes_what_the_api_would_take(self) -> None:
        assert read(source(VP8)) == Picture(media_type="image/webp", width=300, height=200)

    @pytest.mark.parametrize(
        "wrong",
        [{}, {"data": 7}, {"data": "no base64!"}, {"data": "AAA"}, {"data": "caf\u00e9"}],
    )
    def test_takes_no_source_without_base64(self, wrong: dict[str, object]) -> None:
        assert read(wrong) is None

    @pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0), (0, 0)])
    def test_takes_no_image_without_a_size(self, width: int, height: int) -> None:
        assert read(source(b"GIF89a" + struct.pack("<HH", width, height))) is None


class TestSizeOf:
    def test_is_width_and_height(self) -> None:
        assert size_of(source(VP8)) == (300, 200)

    def test_is_read_from_the_beginning_of_a_large_image(self) -> None:
        assert size_of(source(VP8 + b"\0" * 300_000)) == (300, 200)

    def test_is_nothing_where_the_beginning_does_not_say(self) -> None:
        assert size_of({}) == (0, 0)
        assert size_of(source(b"\xff\xd8" + b"\xff" * 300_000 + PADDED[3:])) == (0, 0)

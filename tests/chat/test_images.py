"""Which images are kept, what is said of the others, and the one scaled copy that is sent."""

import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from chat import images
from chat.images import SENT_SIDE, UnreadableImage, checked, scaled, size, sniffed

TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


def drawn(width: int, height: int, mode: str = "RGB") -> Image.Image:
    image = Image.new("RGB", (width, height), (200, 60, 30))
    ImageDraw.Draw(image).ellipse((0, 0, width // 2, height // 2), fill=(20, 90, 160))
    return image.convert(mode)


def encoded(image: Image.Image, kind: str, **how: Any) -> bytes:
    done = BytesIO()
    image.save(done, kind, **how)
    return done.getvalue()


def opened(data: bytes) -> Image.Image:
    image = Image.open(BytesIO(data))
    image.load()
    return image


def noise(width: int, height: int) -> Image.Image:
    grey = Image.effect_noise((width, height), 120)
    return Image.merge("RGB", (grey, ImageChops.invert(grey), ImageChops.offset(grey, 7)))


def png(width: int, height: int, *, rows: bytes = b"") -> bytes:
    """A PNG whose header promises any size, whatever it holds."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")  # fmt: skip


def moving(frames: int, kind: str = "GIF") -> bytes:
    pictures = [drawn(8, 8).rotate(number) for number in range(frames)]
    # Two pixels that change keep the encoder from joining equal frames.
    for number, picture in enumerate(pictures):
        picture.putpixel((number % 8, 7), (number % 256, number // 256, 9))
    return encoded(pictures[0], kind, save_all=True, append_images=pictures[1:], duration=20)


class TestChecked:
    @pytest.mark.parametrize("kind", TYPES)
    @pytest.mark.parametrize("mode", ["RGB", "L", "P"])
    def test_takes_the_four_types(self, kind: str, mode: str) -> None:
        data = encoded(drawn(31, 17, mode).convert("RGB" if mode == "P" and kind == "JPEG" else mode), kind)  # fmt: skip

        assert checked(data, TYPES[kind]) == (TYPES[kind], 31, 17)

    @pytest.mark.parametrize("mode", ["1", "LA", "RGBA", "I;16"])
    def test_takes_the_other_kinds_of_png(self, mode: str) -> None:
        data = encoded(Image.new(mode, (5, 4)), "PNG")

        assert checked(data, "image/png") == ("image/png", 5, 4)

    def test_takes_a_cmyk_jpeg(self) -> None:
        assert checked(encoded(drawn(9, 9, "CMYK"), "JPEG"), "image/jpeg").width == 9

    def test_takes_a_very_high_screenshot(self) -> None:
        assert checked(encoded(Image.new("L", (1200, 9000)), "PNG"), "image/png").height == 9000

    def test_measures_as_it_is_shown(self) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6
        data = encoded(drawn(30, 10), "JPEG", exif=exif)

        assert checked(data, "image/jpeg")[1:] == (10, 30)
        assert size(data) == (10, 30)

    @pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
    def test_takes_short_animations_and_no_long_ones(self, kind: str) -> None:
        assert checked(moving(5, kind), TYPES[kind]).width == 8

        with pytest.raises(UnreadableImage, match="too many frames"):
            checked(moving(images.MAX_FRAMES + 1, kind), TYPES[kind])

    def test_counts_the_frames_of_a_gif_without_decoding_them(self) -> None:
        frame = b"\x2c" + struct.pack("<HHHH", 0, 0, 1, 1) + b"\x00\x02\x02\x44\x01\x00"
        data = (
            b"GIF89a" + struct.pack("<HH", 1, 1) + b"\x80\0\0" + b"\0" * 6 + frame * 200_000 + b";"
        )

        with pytest.raises(UnreadableImage, match="too many frames"):
            checked(data, "image/gif")


def flattened_jpeg(*, at: int) -> bytes:
    data = bytearray(encoded(drawn(9, 9), "JPEG"))
    frame = data.index(b"\xff\xc0") + at
    data[frame : frame + 2] = b"\0\0"
    return bytes(data)


BROKEN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "image/png"),
    "three bytes": (b"\0\0\0", "image/png"),
    "text": (b"not an image at all", "image/png"),
    "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
    "html": (b"<!doctype html><script>1</script>", "image/png"),
    "bmp": (encoded(drawn(4, 4), "BMP"), "image/bmp"),
    "tiff": (encoded(drawn(4, 4), "TIFF"), "image/tiff"),
    "signature only": (b"\x89PNG\r\n\x1a\n", "image/png"),
    "jpeg signature only": (b"\xff\xd8\xff", "image/jpeg"),
    "gif signature only": (b"GIF89a", "image/gif"),
    "webp signature only": (b"RIFF\0\0\0\0WEBP", "image/webp"),
    "zero wide": (png(0, 5), "image/png"),
    "zero high": (png(5, 0), "image/png"),
    "jpeg zero high": (flattened_jpeg(at=5), "image/jpeg"),
    "jpeg zero wide": (flattened_jpeg(at=7), "image/jpeg"),
    "bomb": (png(60_000, 60_000), "image/png"),
    "small bomb": (png(30_000, 30_000), "image/png"),
    "tiny bomb": (png(8_000, 8_000), "image/png"),
    "long strip": (png(images.MAX_SIDE + 1, 1), "image/png"),
    "no pixels": (png(5, 5), "image/png"),
    "png as jpeg": (encoded(drawn(4, 4), "PNG"), "image/jpeg"),
    "jpeg as png": (encoded(drawn(4, 4), "JPEG"), "image/png"),
    "image/jpg": (encoded(drawn(4, 4), "JPEG"), "image/jpg"),
    "too many bytes": (encoded(drawn(4, 4), "PNG") + b"\0" * images.MAX_BYTES, "image/png"),
}  # fmt: skip


class TestRefused:
    @pytest.mark.parametrize("name", BROKEN)
    def test_refuses_with_a_sentence(self, name: str) -> None:
        data, media_type = BROKEN[name]

        with pytest.raises(UnreadableImage) as refused:
            checked(data, media_type)

        assert refused.value.code == "bad_request"
        assert refused.value.message.endswith(".")

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("bomb", "50,000,000 pixels"),
            ("small bomb", "50,000,000 pixels"),
            ("tiny bomb", "50,000,000 pixels"),
            ("long strip", "30,000 a side"),
            ("png as jpeg", "is image/png"),
            ("too many bytes", "10,485,760 bytes"),
            ("svg", "no png, jpeg, gif or webp"),
        ],
    )
    def test_says_what_is_wrong(self, name: str, why: str) -> None:
        with pytest.raises(UnreadableImage, match=why):
            checked(*BROKEN[name])

    @pytest.mark.parametrize("kind", TYPES)
    @pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
    def test_refuses_a_cut_off_image(self, kind: str, share: float) -> None:
        data = encoded(noise(64, 64), kind)

        with pytest.raises(UnreadableImage):
            checked(data[: int(len(data) * share)], TYPES[kind])

    @given(data=st.data(), kind=st.sampled_from(sorted(TYPES)))
    @hypothesis_settings(max_examples=120, deadline=None)
    def test_a_damaged_image_is_taken_or_refused_and_nothing_else(
        self, data: Any, kind: str
    ) -> None:
        whole = bytearray(encoded(drawn(24, 24), kind))
        for _ in range(data.draw(st.integers(1, 6))):
            whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))

        for act in (lambda: checked(bytes(whole), TYPES[kind]), lambda: size(bytes(whole)), lambda: scaled(bytes(whole), TYPES[kind])):  # fmt: skip
            try:
                act()
            except UnreadableImage as refused:
                assert refused.message.endswith(".")  # noqa: PT017  either way is right; another error is not


class TestSniffed:
    @pytest.mark.parametrize("kind", TYPES)
    def test_goes_by_the_first_bytes(self, kind: str) -> None:
        assert sniffed(encoded(drawn(4, 4), kind)) == TYPES[kind]

    @pytest.mark.parametrize("data", [b"", b"RIFF\0\0\0\0WAVE", b"GIF88a", b"\x89PNG", b"BM"])
    def test_knows_no_others(self, data: bytes) -> None:
        assert sniffed(data) is None


class TestScaled:
    @pytest.mark.parametrize("kind", TYPES)
    def test_leaves_an_image_that_fits_untouched(self, kind: str) -> None:
        data = encoded(drawn(SENT_SIDE, 20), kind)

        assert scaled(data, TYPES[kind]) == (data, TYPES[kind])

    @pytest.mark.parametrize("kind", TYPES)
    @pytest.mark.parametrize(
        ("width", "height"), [(2560, 1440), (1440, 2560), (1569, 10), (9000, 3)]
    )
    def test_brings_the_long_side_to_1568(self, kind: str, width: int, height: int) -> None:
        small, media_type = scaled(encoded(drawn(width, height), kind), TYPES[kind])

        done = opened(small)
        assert max(done.size) == SENT_SIDE
        assert min(done.size) == max(1, round(min(width, height) * SENT_SIDE / max(width, height)))
        assert checked(small, media_type)[1:] == done.size

    def test_gives_the_same_bytes_each_time(self) -> None:
        data = encoded(noise(1700, 400), "PNG")

        assert scaled(data, "image/png") == scaled(data, "image/png")

    def test_sends_a_drawing_as_png_and_a_photo_as_jpeg(self) -> None:
        drawing = scaled(encoded(Image.new("RGB", (2000, 900), "white"), "PNG"), "image/png")
        photo = scaled(encoded(noise(2000, 900), "PNG"), "image/png")

        assert (drawing[1], photo[1]) == ("image/png", "image/jpeg")

    def test_keeps_what_is_see_through(self) -> None:
        image = drawn(2000, 900, "RGBA")
        image.putalpha(Image.linear_gradient("L").resize(image.size))

        small, media_type = scaled(encoded(image, "PNG"), "image/png")

        assert (media_type, opened(small).mode) == ("image/png", "RGBA")

    def test_keeps_what_is_see_through_even_where_a_photo_would_be_smaller(self) -> None:
        image = noise(1600, 200).convert("RGBA")
        image.putalpha(Image.linear_gradient("L").resize(image.size))

        assert scaled(encoded(image, "PNG"), "image/png")[1] == "image/png"

    def test_lays_what_is_see_through_on_white_when_it_is_too_heavy(self) -> None:
        image = noise(1500, 1500).convert("RGBA")
        image.putalpha(Image.linear_gradient("L").resize(image.size))

        small, media_type = scaled(encoded(image, "PNG"), "image/png")

        assert media_type == "image/jpeg"
        assert opened(small).getpixel((750, 0)) == (255, 255, 255)

    def test_turns_a_photo_upright_and_leaves_out_where_it_was_taken(self) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6
        exif[0x010F] = "canary-camera"
        data = encoded(drawn(3000, 1000), "JPEG", exif=exif, comment=b"canary-comment")

        small, media_type = scaled(data, "image/jpeg")

        assert (media_type, opened(small).size) == ("image/jpeg", (523, SENT_SIDE))
        assert b"canary" in data
        assert b"canary" not in small

    def test_makes_a_heavy_image_light_enough_for_every_provider(self) -> None:
        data = encoded(noise(1500, 1500), "PNG")
        assert len(data) > images.SENT_BYTES

        small, media_type = scaled(data, "image/png")

        assert (len(small) <= images.SENT_BYTES, media_type, opened(small).size) == (True, "image/jpeg", (1500, 1500))  # fmt: skip

    @pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I;16", "RGBA"])
    def test_takes_every_kind_of_png(self, mode: str) -> None:
        image = drawn(1800, 20, mode) if mode != "I;16" else Image.new(mode, (1800, 20))

        small, _ = scaled(encoded(image, "PNG"), "image/png")

        assert opened(small).size == (SENT_SIDE, 17)

    @pytest.mark.parametrize("act", [lambda data: scaled(data, "image/png"), size])
    def test_refuses_what_is_no_image(self, act: Callable[[bytes], object]) -> None:
        for name in ("nothing", "text", "bmp", "zero wide", "bomb", "signature only"):
            with pytest.raises(UnreadableImage):
                act(BROKEN[name][0])

"""Which images are kept, and what is said of the others."""

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PIL import Image

from chat import images
from chat.images import UnreadableImage, checked, scaled, size, sniffed
from tests.support.drawn import BROKEN, TYPES, drawn, encoded, moving, noise


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

"""The one scaled copy of an image that is sent."""

from collections.abc import Callable

import pytest
from PIL import Image

from chat import images
from chat.images import SENT_SIDE, UnreadableImage, checked, scaled, size
from tests.support.drawn import BROKEN, TYPES, drawn, encoded, noise, opened


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

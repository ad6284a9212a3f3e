"""Images made for tests: whole ones of every kind, and the ones that break readers."""

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image, ImageChops, ImageDraw

from chat import images

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

"""Is this an image that can be stored and sent, how large is it, and the one scaled copy that is sent of it.

Everything is decoded once, fully, under limits, before it is stored: a picture that the model's API cannot read would
fail every later request of its conversation.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageOps

from history.errors import BadRequest

MAX_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 50_000_000
MAX_SIDE = 30_000
MAX_FRAMES = 100
SENT_SIDE = 1568
"""Pixels on the long side; above it every model scales down anyway, and many images at once are refused."""
SENT_BYTES = 3_300_000
"""About 4.5 MB in base64, which every provider of the API takes."""

_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
}
_FORMATS = ["PNG", "JPEG", "GIF", "WEBP"]
_TURNED = frozenset({5, 6, 7, 8})
_ORIENTATION = 0x0112

_TOO_LARGE = f"The image is too large: {MAX_PIXELS:,} pixels, {MAX_SIDE:,} a side at most."


class UnreadableImage(BadRequest):
    """The bytes are no image that can be kept. The message is a sentence for a person, without any of the bytes."""

    default = "The image could not be read."


class Checked(NamedTuple):
    """An image that decodes: its true media type and its size in pixels as it is shown (turned by its EXIF)."""

    media_type: str
    width: int
    height: int


def sniffed(data: bytes) -> str | None:
    """Return the media type that the first bytes promise, None for anything but png, jpeg, gif and webp."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def checked(data: bytes, media_type: str) -> Checked:
    """Decode `data` fully and return what it is. Raises UnreadableImage if it is not wholly what it says."""
    if len(data) > MAX_BYTES:
        raise UnreadableImage(f"The image is too large: {MAX_BYTES:,} bytes at most.")
    true_type = sniffed(data)
    if true_type is None:
        raise UnreadableImage("This is no png, jpeg, gif or webp image.")
    if true_type != media_type:
        raise UnreadableImage(f"The image is {true_type}, not what its media type says.")
    if true_type == "image/gif" and _gif_frames(data) > MAX_FRAMES:
        raise UnreadableImage(f"The image has too many frames: {MAX_FRAMES} at most.")
    with _opened(data) as image:
        image.load()
        width, height = _shown_size(image)
    return Checked(media_type=true_type, width=width, height=height)


def size(data: bytes) -> tuple[int, int]:
    """Return width and height in pixels as the image is shown, from its header alone. Raises UnreadableImage."""
    with _opened(data) as image:
        return _shown_size(image)


def scaled(data: bytes, media_type: str) -> tuple[bytes, str]:
    """Return the copy that is sent and its media type: the same bytes unless a side or the file is too large.

    The same input gives the same output. Raises UnreadableImage.
    """
    with _opened(data) as image:
        if max(image.size) <= SENT_SIDE and len(data) <= SENT_BYTES:
            return data, media_type
        image.load()
        small = _shrunk(_plain(ImageOps.exif_transpose(image)))
    jpeg = _encoded(_flat(small), "JPEG")
    if media_type == "image/jpeg":
        return jpeg, media_type
    png = _encoded(small, "PNG")
    if len(png) <= SENT_BYTES and (len(png) <= len(jpeg) or _see_through(small)):
        return png, "image/png"
    return jpeg, "image/jpeg"


@contextmanager
def _opened(data: bytes) -> Iterator[Image.Image]:
    """Open `data` under the limits; whatever goes wrong inside becomes UnreadableImage."""
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as image:
            _check_limits(image)
            yield image
    except UnreadableImage:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise UnreadableImage(_TOO_LARGE) from None
    except Exception as error:
        raise UnreadableImage from error


def _check_limits(image: Image.Image) -> None:
    width, height = image.size
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        raise UnreadableImage(_TOO_LARGE)
    if image.format != "GIF" and getattr(image, "n_frames", 1) > MAX_FRAMES:
        raise UnreadableImage(f"The image has too many frames: {MAX_FRAMES} at most.")


def _shown_size(image: Image.Image) -> tuple[int, int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        turned = image.getexif().get(_ORIENTATION) in _TURNED
    return (image.height, image.width) if turned else image.size


def _plain(image: Image.Image) -> Image.Image:
    """Return the image as RGB or RGBA."""
    has_alpha = image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info
    return image.convert("RGBA" if has_alpha else "RGB")


def _shrunk(image: Image.Image) -> Image.Image:
    share = SENT_SIDE / max(image.size)
    if share >= 1:
        return image
    width, height = (max(1, round(side * share)) for side in image.size)
    return image.resize((width, height), Image.Resampling.LANCZOS)


def _flat(image: Image.Image) -> Image.Image:
    """Return the image on white."""
    if image.mode != "RGBA":
        return image
    paper = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(paper, image).convert("RGB")


def _see_through(image: Image.Image) -> bool:
    if image.mode != "RGBA":
        return False
    lowest, _ = image.getchannel("A").getextrema()
    return isinstance(lowest, int | float) and lowest < 255


def _encoded(image: Image.Image, kind: str) -> bytes:
    done = BytesIO()
    # Only pixels: what a camera wrote beside them (place, time, thumbnail) is not sent.
    bare = Image.new(image.mode, image.size)
    bare.paste(image)
    bare.save(done, kind, quality=80)
    return done.getvalue()


def _gif_frames(data: bytes) -> int:
    """Count the frames of a GIF up to MAX_FRAMES + 1 by walking its blocks, without decoding any."""
    at = 13 + _colours(data[10:11])
    frames = 0
    while frames <= MAX_FRAMES and at < len(data):
        kind = data[at]
        if kind == 0x2C:
            frames += 1
            at = _past_blocks(data, at + 11 + _colours(data[at + 9 : at + 10]))
        elif kind == 0x21:
            at = _past_blocks(data, at + 2)
        else:
            break
    return frames


def _colours(flags: bytes) -> int:
    """Bytes of the colour table that a flags byte announces."""
    return 3 * 2 ** ((flags[0] & 7) + 1) if flags and flags[0] & 0x80 else 0


def _past_blocks(data: bytes, at: int) -> int:
    while at < len(data) and data[at]:
        at += data[at] + 1
    return at + 1

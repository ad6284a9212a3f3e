"""What a new workspace holds: a short note and a picture, so that there is something to list, read and look at."""

import math
import secrets
import shutil
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

README = """\
This is your workspace: one folder on the server that only you and Claude, on your behalf, can use.

Claude may list, read and search these files at any time. Before it writes, moves or deletes one, you are shown
exactly what it is about to do, and nothing happens until you press Approve.

Things to ask for:
  * What is in my workspace?
  * Show me welcome.png.
  * Write a packing list to lists/weekend.txt.
"""

_SIZE = (640, 300)
_FINE = 3  # drawn this much larger, then scaled down: smooth edges
_SKY = ((247, 240, 228), (243, 214, 190))
_SUN = (217, 119, 87)
_INK = (61, 57, 53)
_HILLS = (  # height of the line, height and length of its waves, their beginning, colour
    (196, 18, 210, 0.4, (201, 190, 160)),
    (226, 14, 160, 2.1, (146, 155, 128)),
    (256, 10, 260, 4.0, (88, 103, 94)),
)


def furnish(folder: Path) -> None:
    """Make the workspace `folder` with its first files, at once or not at all; one that is there stays as it is."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = folder.parent / f".new-{secrets.token_hex(8)}"
    aside.mkdir(mode=0o700)
    try:
        for name, data in (("README.txt", README.encode()), ("welcome.png", picture())):
            (aside / name).touch(mode=0o600)
            (aside / name).write_bytes(data)
        # Two first uses at once: the rename of the second finds a folder that is not empty, and that is as good.
        with suppress(OSError):
            aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@cache
def picture() -> bytes:
    """Return the welcome picture, a PNG of 640 x 300 pixels: hills, a low sun, two lines of text."""
    width, height = _SIZE[0] * _FINE, _SIZE[1] * _FINE
    image = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(image)
    for y in range(height):
        share = y / height
        colour = tuple(round(a + (b - a) * share) for a, b in zip(*_SKY, strict=True))
        draw.line([(0, y), (width, y)], fill=colour)
    draw.circle((470 * _FINE, 168 * _FINE), 54 * _FINE, fill=_SUN)
    for hill in _HILLS:
        draw.polygon([*_ridge(*hill[:4]), (width, height), (0, height)], fill=hill[4])
    draw.text(
        (44 * _FINE, 48 * _FINE), "Hello.", font=ImageFont.load_default(54 * _FINE), fill=_INK
    )
    draw.text(
        (46 * _FINE, 118 * _FINE),
        "This is your workspace.",
        font=ImageFont.load_default(20 * _FINE),
        fill=_INK,
    )
    done = BytesIO()
    image.resize(_SIZE, Image.Resampling.LANCZOS).save(done, "PNG", optimize=True)
    return done.getvalue()


def _ridge(line: float, wave: float, length: float, begin: float) -> list[tuple[float, float]]:
    return [
        (x * _FINE, (line - wave * math.sin(begin + x / length * math.tau)) * _FINE)
        for x in range(_SIZE[0] + 1)
    ]

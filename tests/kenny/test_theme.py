"""The colours: every pair that the pages put together passes WCAG AA in both themes."""

import re
from pathlib import Path

import pytest

THEME = Path(__file__).parents[2] / "kenny/static/kenny/theme.css"
TEXT_ON = {
    "bg": ("text", "muted", "accent", "danger", "ok", "warn"),
    "raised": ("text", "muted", "accent", "danger", "ok"),
    "sunken": ("text", "muted"),
    "soft": ("text", "accent"),
    "accent": ("on-accent",),
    "danger-soft": ("text", "muted", "danger"),
    "ok-soft": ("text", "ok"),
    "warn-soft": ("text", "muted", "warn"),
    "code": ("text", "code-keyword", "code-string", "code-comment", "code-number", "code-name"),
}
BORDERS_ON = dict.fromkeys(("bg", "raised", "sunken"), ("control", "accent"))
PAIRS = [(text, ground, 4.5) for ground, texts in TEXT_ON.items() for text in texts] + [
    (border, ground, 3.0) for ground, borders in BORDERS_ON.items() for border in borders
]


def colours() -> dict[str, tuple[str, str]]:
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", THEME.read_text())
    return {name: (light, dark) for name, light, dark in found}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class TestTheme:
    @pytest.mark.parametrize(("front", "ground", "least"), PAIRS)
    @pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
    def test_has_contrast(self, front: str, ground: str, least: float, theme: int) -> None:
        palette = colours()

        low, high = sorted(luminance(palette[name][theme]) for name in (front, ground))

        assert (high + 0.05) / (low + 0.05) >= least

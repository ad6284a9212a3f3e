"""What every template may name."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

THEMES = frozenset({"light", "dark"})


def page(request: HttpRequest) -> dict[str, Any]:
    """Return `theme` (light, dark, or "" for the system's), and what of the configuration pages speak of."""
    theme = request.COOKIES.get("theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "can_sign_up": settings.KENNY_SIGNUP == "open",
        "can_mail": settings.KENNY_EMAIL,
        "demo": not settings.ANTHROPIC_API_KEY,
    }

"""The two pages of the client: a new chat and one conversation. Both are the same shell; the modules fill it."""

from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.templatetags.static import static
from django.utils import translation
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from chat import limits, preferences
from chat.words import words

YEAR = 365 * 24 * 3600  # seconds
CLIENT = Path(__file__).parent / "static"
# The order of the cascade layers is the order of the links.
SHEETS = (
    "base",
    "layout",
    "sidebar",
    "transcript",
    "cards",
    "code",
    "composer",
    "dialogs",
    "sync",
    "adapt",
)


# Nothing of what a request says stands in the page, and Django's token and padding differ each time (BREACH).
@gzip_page
@require_safe
@login_required
def page(request: HttpRequest, conversation_id: str | None = None) -> HttpResponse:
    """Return the shell. Whether the conversation exists is told by the API, so that no id gives itself away here."""
    del conversation_id  # the client reads it from the address
    told = config(request)
    chosen = told["preferences"]["language"]
    with translation.override(chosen or translation.get_language()):
        context = {"config": told, "modules": modules(), "sheets": sheets(), "words": words()}
        response = render(request, "chat/page.html", context)
        response.headers["Content-Language"] = translation.get_language() or "en"
    if chosen and request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME) != chosen:
        # A device that does not know yet what was chosen on another one: the account's other pages ask the cookie.
        keep_language(response, chosen, secure=request.is_secure())
    return response


def keep_language(response: HttpResponse, code: str, *, secure: bool) -> None:
    """Have the browser ask for its pages in this language."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, code, max_age=YEAR, secure=secure, samesite="Lax"
    )


def config(request: HttpRequest) -> dict[str, Any]:
    """Return what the client needs before its first request. `account` is the id that every call names."""
    return {
        "account": str(request.user.pk),
        "username": request.user.get_username(),
        "staff": getattr(request.user, "is_staff", False),
        "demo": not settings.ANTHROPIC_API_KEY,
        "csrf": get_token(request),
        "static": settings.STATIC_URL,
        "limits": limits.published(),
        "preferences": preferences.of(int(request.user.pk or 0)),
    }


@cache
def modules() -> list[str]:
    """Return the URL of every module but the first, so that the browser fetches them all at once."""
    files = sorted(path.relative_to(CLIENT).as_posix() for path in CLIENT.rglob("*.js"))
    return [static(name) for name in files if name != "chat/main.js"]


@cache
def sheets() -> list[str]:
    """Return the URLs of the style sheets in the order of their layers."""
    return [static(f"chat/{name}.css") for name in SHEETS]

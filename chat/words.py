"""The client's words in a language: Django's own JavaScript catalogue, handed to the page as data."""

from functools import cache
from typing import Any

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JSONCatalog


def words() -> dict[str, Any]:
    """Return the language of the answer that is being written, and its catalogue."""
    return _words(get_language() or settings.LANGUAGE_CODE)


@cache
def _words(language: str) -> dict[str, Any]:
    catalogue = JSONCatalog()
    # Only kenny's own: the admin brings hundreds of words that no page of the client shows.
    catalogue.translation = DjangoTranslation(
        language, domain="djangojs", localedirs=[str(path) for path in settings.LOCALE_PATHS]
    )
    return {"language": language, "catalog": catalogue.get_catalog()}

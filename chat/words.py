"""The client's words in a language: Django's own JavaScript catalogue, handed to the page as data."""

from functools import cache
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JSONCatalog

from chat.sentences import SENTENCES


def words() -> dict[str, Any]:
    """Return the language of the answer that is being written, and its catalogue."""
    return _words(translation.get_language() or settings.LANGUAGE_CODE)


@cache
def _words(language: str) -> dict[str, Any]:
    catalogue = JSONCatalog()
    # Only kenny's own: the admin brings hundreds of words that no page of the client shows.
    catalogue.translation = DjangoTranslation(
        language, domain="djangojs", localedirs=[str(path) for path in settings.LOCALE_PATHS]
    )
    with translation.override(language):
        told = {sentence: translation.gettext(sentence) for sentence in SENTENCES}
    kept = {sentence: words for sentence, words in told.items() if words != sentence}
    return {"language": language, "catalog": kept | catalogue.get_catalog()}

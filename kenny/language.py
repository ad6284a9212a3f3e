"""The language of an answer: the one that a person chose or their browser asks for; the API speaks English."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers


class LanguageMiddleware:
    """Answer in the request's language and leave the thread as it was: turns and sockets run in it too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith("/api/"):
            with translation.override("en"):
                return self.get_response(request)
        language = translation.get_language_from_request(request)
        with translation.override(language):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        return response

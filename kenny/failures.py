"""What is answered where no view answers: the API's error body below /api/, a page elsewhere."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.translation import gettext_lazy as _

from history.errors import BadRequest, Forbidden, NotFound, Refused, Unavailable

PAGES = {
    400: (_("That request cannot be understood"), _("Go back and try it again.")),
    403: (
        _("That is not yours to open"),
        _("Sign in with an account that may, or ask whoever runs this server."),
    ),
    404: (_("Nothing is here"), _("The address may be mistyped, or what was here is gone.")),
    500: (
        _("Something broke here"),
        _("It has been written to the server's log. Try again in a moment."),
    ),
}


def _answer(request: HttpRequest, refused: Refused, *, status: int) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return JsonResponse(
            {"error": {"code": refused.code, "message": refused.message}}, status=status
        )
    title, advice = PAGES[status]
    # Without the request: what broke may be the database that the user would be read from.
    page = loader.render_to_string("kenny/failure.html", {"title": title, "advice": advice})
    return HttpResponse(page, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400, for one a host name that is not ours."""
    return _answer(request, BadRequest(), status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403 where a view raised PermissionDenied."""
    return _answer(request, Forbidden(), status=403)


def csrf(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 for a form without the right token: usually a page from before the last sign-in."""
    return _answer(request, Forbidden("The page is out of date; load it again."), status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 without repeating the address."""
    return _answer(request, NotFound(), status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500; Django has logged the cause."""
    return _answer(request, Unavailable("The server failed at this request."), status=500)

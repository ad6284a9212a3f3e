"""The pages of an account: API tokens, sessions, theme, language, and the link to the first account."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from chat import preferences, spending
from chat.pages import keep_language
from history.clock import now_ms
from kenny.accounts import first, sessions, tokens
from kenny.accounts.forms import FirstAccountForm, ImportForm, TokenForm
from kenny.context import THEMES


class SignedIn(HttpRequest):
    """What `login_required` lets through."""

    user: User


YEAR = 365 * 24 * 3600  # seconds


def account_page(request: SignedIn, **more: Any) -> HttpResponse:
    """Return the page; `more` are a form with what is wrong in it, or what was just made."""
    context = {
        "tokens": tokens.of(request.user),
        "form": TokenForm(),
        "import_form": ImportForm(),
        "chosen_language": preferences.of(request.user.pk)["language"],
        "usage": spending.overview(request.user.pk, now=now_ms()),
        **more,
    }
    return render(request, "kenny/account.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: SignedIn) -> HttpResponse:
    """Show the account; POST makes a token and shows it this once, so it is no redirect."""
    if request.method != "POST":
        return account_page(request)
    form = TokenForm(request.POST)
    if not form.is_valid():
        return account_page(request, form=form)
    row, token = tokens.make(request.user, name=form.cleaned_data["name"], lifetime=form.lifetime())
    return account_page(request, new_row=row, new_token=token)


@login_required
@require_POST
def revoke_token(request: SignedIn, token_key: str) -> HttpResponse:
    """Revoke a token of the user. One that is gone already is no error."""
    if tokens.revoke(request.user, token_key=token_key):
        messages.success(request, _("The token is revoked; whoever used it is signed out."))
    return redirect("account")


@login_required
@require_http_methods(["GET", "HEAD"])
def session_list(request: SignedIn) -> HttpResponse:
    """Show where the account is signed in."""
    rows = sessions.of(request.user)
    return render(
        request,
        "kenny/sessions.html",
        {
            "rows": [(row, *sessions.browser_of(row.user_agent)) for row in rows],
            "this": request.session.session_key,
        },
    )


@login_required
@require_POST
def end_session(request: SignedIn, number: int) -> HttpResponse:
    """End one session of the user."""
    if sessions.end(request.user, number=number):
        messages.success(request, _("That session has ended."))
    return redirect("session_list")


@login_required
@require_POST
def end_other_sessions(request: SignedIn) -> HttpResponse:
    """End every session of the user but this one."""
    ended = sessions.end_all(request.user, but=request.session.session_key)
    said = ngettext("%(n)s other session has ended.", "%(n)s other sessions have ended.", ended)
    messages.success(request, said % {"n": ended} if ended else _("There was no other session."))
    return redirect("session_list")


@login_required
@require_POST
def end_all_sessions(request: SignedIn) -> HttpResponse:
    """End every session of the user, this one too."""
    sessions.end_all(request.user)
    request.session.flush()
    return redirect("account_login")


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Keep light or dark in a cookie that the server reads before the first paint; else follow the system."""
    answer = HttpResponseRedirect(_back(request))
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        answer.set_cookie("theme", theme, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    else:
        answer.delete_cookie("theme", samesite="Lax")
    return answer


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Keep a language in a cookie and, for who is signed in, with the account; "" follows the browser again."""
    answer = HttpResponseRedirect(_back(request))
    code = request.POST.get("language")
    if code in dict(settings.LANGUAGES):
        keep_language(answer, code, secure=request.is_secure())
    elif code == "":
        answer.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
    else:
        return answer
    if request.user.is_authenticated:
        preferences.change(request.user.pk, {"language": code or None})
    return answer


def _back(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(
        wanted, {request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours else "/accounts/"


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def first_account(request: HttpRequest, token: str) -> HttpResponse:
    """Make the first account by the link that the first start printed; void once any account exists."""
    if not first.opens(token):
        return render(request, "kenny/setup_void.html", status=410)
    form = FirstAccountForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "kenny/setup.html", {"form": form})
    user = first.claim(
        token, username=form.cleaned_data["username"], password=form.cleaned_data["password1"]
    )
    if user is None:
        return render(request, "kenny/setup_void.html", status=410)
    login(request, user)
    return redirect("/")

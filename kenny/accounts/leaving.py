"""What one carries away is taken back here, and an account ends here for good."""

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from history.clock import now_ms
from history.errors import BadRequest, TooLarge
from history.importing import Taken, take
from history.unpacking import Archive, Limits
from kenny.accounts.erasing import erase_account
from kenny.accounts.forms import ImportForm, LeaveForm
from kenny.accounts.views import SignedIn, account_page


@login_required
@require_POST
def take_back(request: SignedIn) -> HttpResponse:
    """Take an export into the account and say what became of it."""
    form = ImportForm(request.POST, request.FILES)
    if form.is_valid():
        limits = Limits.of(settings.KENNY_MAX_BODY)
        try:
            archive = Archive(form.cleaned_data["file"], limits=limits)
            taken = take(request.user.pk, archive, limits=limits, now=now_ms())
        except TooLarge:
            form.add_error("file", _("The file is larger than this server takes."))
        except BadRequest:
            form.add_error("file", _("This is no export of kenny, or it is damaged."))
        else:
            _tell(request, taken)
            return redirect("account")
    return account_page(request, import_form=form)


def _tell(request: SignedIn, taken: Taken) -> None:
    n = taken.count
    said = [
        ngettext("%(n)s conversation was taken in.", "%(n)s conversations were taken in.", n)
        % {"n": n}
    ]
    if n := len(taken.skipped):
        said.append(ngettext("%(n)s was here already.", "%(n)s were here already.", n) % {"n": n})
    messages.success(request, " ".join(said))
    if n := len(taken.refused):
        text = ngettext("%(n)s could not be taken.", "%(n)s could not be taken.", n) % {"n": n}
        first = taken.refused[0]
        messages.error(
            request, f"{text} {first.get('id') or first.get('line')}: {first['message']}"
        )


@login_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: SignedIn) -> HttpResponse:
    """Erase the account, once its name and password are given."""
    form = LeaveForm(request.POST or None, username=request.user.get_username())
    if request.method == "POST" and form.is_valid() and _is_owner(request, form):
        user = User.objects.get(pk=request.user.pk)
        logout(request)
        erase_account(user, now=now_ms())
        return redirect("account_login")
    return render(request, "kenny/delete_account.html", {"form": form})


def _is_owner(request: SignedIn, form: LeaveForm) -> bool:
    """Check the password, as often a minute as allauth's own pages do; the form gets the reason for a no."""
    if not ratelimit.consume(request, action="reauthenticate", user=request.user):
        form.add_error(None, _("Too many attempts. Wait a minute."))
        return False
    right = request.user.check_password(form.cleaned_data["password"])
    if not right:
        form.add_error("password", _("That is not your password."))
    return right

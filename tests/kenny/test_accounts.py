"""The pages of accounts: sign-in, sign-up, tokens, sessions, the second factor, the theme."""

import re
from types import SimpleNamespace

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from pytest_django.fixtures import Settings

from kenny.accounts import sessions, tokens
from kenny.accounts.adapter import SecondFactorAdapter
from kenny.accounts.models import ApiToken

pytestmark = pytest.mark.django_db
PASSWORD = "right horse battery 9"


@pytest.fixture(autouse=True)
def _nothing_counted() -> None:
    """Limits and the once-a-minute notes of earlier tests are forgotten."""
    cache.clear()
    sessions._noted.clear()


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", "alice@example.test", PASSWORD)


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob", "bob@example.test", PASSWORD)


def signed_in(password: str = PASSWORD) -> Client:
    browser = Client()
    browser.post("/accounts/login/", {"login": "alice", "password": password})
    return browser


class TestSignIn:
    def test_has_the_names_that_programs_look_for(self, client: Client) -> None:
        page = client.get("/accounts/login/").content.decode()

        labels = re.findall(r"<label[^>]*>\s*([^<]*?)\s*</label>", page)
        assert labels == ["Username", "Password"]
        assert re.findall(r"<button[^>]*>\s*([^<]*?)\s*</button>", page) == ["Sign in"]

    def test_opens_the_chats(self, alice: User) -> None:
        browser = Client()

        answer = browser.post("/accounts/login/", {"login": "alice", "password": PASSWORD})

        assert (answer.status_code, answer["Location"]) == (302, "/")
        assert browser.get("/").status_code == 200

    def test_changes_the_session(self, alice: User) -> None:
        browser = Client()
        browser.cookies["sessionid"] = "fixed-by-an-attacker"

        browser.post("/accounts/login/", {"login": "alice", "password": PASSWORD})

        assert browser.cookies["sessionid"].value != "fixed-by-an-attacker"

    def test_is_refused_to_the_deactivated(self, alice: User) -> None:
        User.objects.update(is_active=False)

        assert signed_in().get("/accounts/").status_code == 302

    def test_is_limited_by_name_whatever_address_is_claimed(self, alice: User) -> None:
        browser = Client()
        pages = [
            browser.post(
                "/accounts/login/",
                {"login": "alice", "password": "wrong"},
                headers={"x-forwarded-for": f"10.0.0.{number}"},
            ).content.decode()
            for number in range(6)
        ]

        assert "too many" in pages[-1].lower()
        assert "sessionid" not in signed_in().cookies

    def test_goes_back_to_where_one_came_from_but_nowhere_else(self, alice: User) -> None:
        for wanted, lands in (("/c/one", "/c/one"), ("https://evil.example/", "/")):
            answer = Client().post(
                "/accounts/login/", {"login": "alice", "password": PASSWORD, "next": wanted}
            )

            assert answer["Location"] == lands

    def test_of_the_admin_site_is_the_same_page(self, client: Client) -> None:
        answer = client.get("/admin/login/")

        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/login/")


class TestSignUp:
    def test_is_closed(self, client: Client) -> None:
        answer = client.post(
            "/accounts/signup/", {"username": "eve", "password1": PASSWORD, "password2": PASSWORD}
        )

        assert "No sign-up here" in answer.content.decode()
        assert not User.objects.exists()

    def test_is_open_when_the_operator_says_so(self, client: Client, settings: Settings) -> None:
        settings.KENNY_SIGNUP = "open"

        answer = client.post(
            "/accounts/signup/", {"username": "eve", "password1": PASSWORD, "password2": PASSWORD}
        )

        assert answer.status_code == 302
        assert not User.objects.get(username="eve").is_staff


class TestTokens:
    def test_are_made_and_shown_once(self, alice: User) -> None:
        browser = signed_in()

        page = browser.post("/accounts/", {"name": "backup", "days": "30"}).content.decode()

        token = re.search(r"kny_[0-9a-f]{64}", page)
        assert token is not None
        assert token[0] not in browser.get("/accounts/").content.decode()
        row = ApiToken.objects.get()
        assert (row.name, row.user, row.expiry is not None) == ("backup", alice, True)
        assert token[0] not in row.digest

    def test_end_when_revoked(self, alice: User, client: Client) -> None:
        row, token = tokens.make(alice, name="a")
        signed_in().post(f"/accounts/tokens/{row.token_key}/revoke/")

        assert (
            client.get(
                "/api/conversations", headers={"authorization": f"Bearer {token}"}
            ).status_code
            == 401
        )

    def test_of_another_cannot_be_revoked(self, alice: User, bob: User) -> None:
        row, _ = tokens.make(bob, name="bob's")

        signed_in().post(f"/accounts/tokens/{row.token_key}/revoke/")

        assert ApiToken.objects.count() == 1

    def test_are_no_business_of_strangers(self, client: Client) -> None:
        assert client.get("/accounts/")["Location"].startswith("/accounts/login/")


class TestSessions:
    def test_list_where_the_account_is_signed_in(self, alice: User) -> None:
        phone, desk = signed_in(), signed_in()
        phone.get("/", headers={"user-agent": "A phone"})

        page = desk.get("/accounts/sessions/", headers={"user-agent": "A desk"}).content.decode()

        assert page.count("· last seen") == 2
        assert page.count("this one") == 1

    def test_end_one_by_one(self, alice: User) -> None:
        phone, desk = signed_in(), signed_in()
        phone_row = UserSession.objects.get(session_key=phone.cookies["sessionid"].value)

        desk.post(f"/accounts/sessions/{phone_row.pk}/end/")

        assert phone.get("/accounts/").status_code == 302
        assert desk.get("/accounts/").status_code == 200

    def test_of_another_cannot_be_ended(self, alice: User, bob: User) -> None:
        victim = Client()
        victim.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
        row = UserSession.objects.get(user=bob)

        signed_in().post(f"/accounts/sessions/{row.pk}/end/")

        assert victim.get("/accounts/").status_code == 200

    def test_end_all_at_once(self, alice: User) -> None:
        browsers = [signed_in(), signed_in()]

        browsers[0].post("/accounts/sessions/end-all/")

        assert [browser.get("/accounts/").status_code for browser in browsers] == [302, 302]

    def test_end_all_others_and_stay(self, alice: User, bob: User) -> None:
        browsers = [signed_in(), signed_in(), signed_in()]
        stranger = Client()
        stranger.post("/accounts/login/", {"login": "bob", "password": PASSWORD})

        answer = browsers[0].post("/accounts/sessions/end-others/", follow=True)

        assert "2 other sessions have ended." in answer.content.decode()
        assert [browser.get("/accounts/").status_code for browser in browsers] == [200, 302, 302]
        assert stranger.get("/accounts/").status_code == 200

    @pytest.mark.parametrize(
        ("user_agent", "named"),
        [
            ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36", ("Chrome", "Linux")),
            ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36 Edg/156.0", ("Edge", "Windows")),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1 Version/26.0 Mobile Safari/604.1", ("Safari", "iPhone")),
            ("Mozilla/5.0 (Android 16; Mobile; rv:153.0) Gecko/153.0 Firefox/153.0", ("Firefox", "Android")),
            ("curl/8", ("", "")),
        ],
    )  # fmt: skip
    def test_are_named_by_browser_and_system(self, user_agent: str, named: tuple[str, str]) -> None:
        assert sessions.browser_of(user_agent) == named

    def test_end_elsewhere_with_a_new_password(self, alice: User) -> None:
        here, elsewhere = signed_in(), signed_in()
        new = "another right horse 10"

        here.post(
            "/accounts/password/change/",
            {"oldpassword": PASSWORD, "password1": new, "password2": new},
        )

        assert here.get("/accounts/").status_code == 200
        assert elsewhere.get("/accounts/").status_code == 302


class TestSecondFactor:
    def test_keeps_its_secret_encrypted(self, alice: User) -> None:
        TOTP.activate(alice, "JBSWY3DPEHPK3PXP")

        assert "JBSWY3DPEHPK3PXP" not in str(Authenticator.objects.get().data)

    def test_opens_with_a_fallback_of_the_secret_key(self, settings: Settings) -> None:
        boxed = SecondFactorAdapter().encrypt("seed")
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "another secret key that is long enough for this"

        assert SecondFactorAdapter().decrypt(boxed) == "seed"

    def test_is_asked_for_at_sign_in(self, alice: User) -> None:
        TOTP.activate(alice, "JBSWY3DPEHPK3PXP")

        answer = Client().post("/accounts/login/", {"login": "alice", "password": PASSWORD})

        assert answer["Location"] == "/accounts/2fa/authenticate/"

    @pytest.mark.parametrize(("late", "taken"), [(0, True), (1, True), (2, False), (-2, False)])
    def test_takes_a_code_whose_half_minute_ended_as_it_was_typed_and_no_other(
        self, alice: User, monkeypatch: pytest.MonkeyPatch, *, late: int, taken: bool
    ) -> None:
        """RFC 6238, 5.2: at most one step back. `late` is how many steps ago the code was shown."""
        secret, step = "JBSWY3DPEHPK3PXP", 58_000_000
        TOTP.activate(alice, secret)
        clock = SimpleNamespace(time=lambda: step * 30 + 1)
        monkeypatch.setattr("allauth.mfa.totp.internal.auth.time", clock)
        browser = Client()
        browser.post("/accounts/login/", {"login": "alice", "password": PASSWORD})

        shown = format_hotp_value(hotp_value(secret, step - late))
        browser.post("/accounts/2fa/authenticate/", {"code": shown})

        assert ("_auth_user_id" in browser.session) is taken

    def test_page_draws_its_code_within_the_policy(self, alice: User) -> None:
        browser = signed_in()

        page = "/accounts/2fa/totp/activate/"
        answer = browser.post(
            "/accounts/reauthenticate/", {"password": PASSWORD, "next": page}, follow=True
        )

        assert "img-src 'self' data:" in answer["Content-Security-Policy"]
        assert "data:image/svg" in answer.content.decode()


class TestTheme:
    @pytest.mark.parametrize(
        ("chosen", "shown"), [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"')]
    )
    def test_is_there_before_the_first_paint(self, client: Client, chosen: str, shown: str) -> None:
        client.post("/accounts/theme/", {"theme": chosen})

        assert f'<html lang="en"{shown}>' in client.get("/accounts/login/").content.decode()

    def test_follows_the_system_again(self, client: Client) -> None:
        client.post("/accounts/theme/", {"theme": "dark"})
        client.post("/accounts/theme/", {"theme": ""})

        assert '<html lang="en">' in client.get("/accounts/login/").content.decode()

    def test_takes_no_other_word_from_the_cookie(self, client: Client) -> None:
        client.cookies["theme"] = '"><script>'

        assert '<html lang="en">' in client.get("/accounts/login/").content.decode()

    def test_sends_nobody_away(self, client: Client) -> None:
        answer = client.post("/accounts/theme/", {"theme": "dark", "next": "https://evil.example/"})

        assert answer["Location"] == "/accounts/"


class TestForgottenPassword:
    def test_says_that_no_mail_is_sent_here(self, client: Client) -> None:
        assert "sends no e-mail" in client.get("/accounts/password/reset/").content.decode()

    def test_sends_a_link_when_mail_is_configured(
        self, client: Client, alice: User, settings: Settings, mailoutbox: list[object]
    ) -> None:
        settings.KENNY_EMAIL = True

        for address in ("alice@example.test", "nobody@example.test"):
            answer = client.post("/accounts/password/reset/", {"email": address})
            assert answer.status_code == 302

        bodies = [str(mail.body) for mail in mailoutbox if "alice@example.test" in mail.to]  # type: ignore[attr-defined]  # Django's own class
        assert len([body for body in bodies if "/accounts/password/reset/key/" in body]) == 1

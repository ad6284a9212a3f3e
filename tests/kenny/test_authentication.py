"""Who may call the API: tokens, sessions with CSRF, and the account that a page names."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from kenny.accounts import tokens
from kenny.accounts.models import ApiToken

pytestmark = pytest.mark.django_db
LIST = "/api/conversations"


@pytest.fixture(autouse=True)
def _nothing_counted() -> None:
    caches["throttle"].clear()


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def browser(alice: User) -> Client:
    """Alice's browser, with CSRF checks on."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    return client


def csrf(browser: Client) -> str:
    page = browser.get("/accounts/").content.decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert found is not None
    return found[1]


def code(answer: object) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]  # type: ignore[attr-defined]  # the test client's answer


class TestToken:
    def test_opens_the_api(self, client: Client, alice: User) -> None:
        _, token = tokens.make(alice, name="a")

        assert client.get(LIST, headers={"authorization": f"Bearer {token}"}).status_code == 200

    @pytest.mark.parametrize(
        "header", ["Bearer", "Bearer a b", "Bearer kny_wrong", "Bearer \u00ff\u00fe", "bearer x"]
    )
    def test_that_is_none_is_401_and_asks_for_one(self, client: Client, header: str) -> None:
        answer = client.get(LIST, headers={"authorization": header})

        assert code(answer) == (401, "unauthenticated")
        assert answer["WWW-Authenticate"] == "Bearer"

    def test_that_has_expired_is_401(self, client: Client, alice: User) -> None:
        row, token = tokens.make(alice, name="a", lifetime=timedelta(days=1))
        ApiToken.objects.filter(pk=row.pk).update(expiry=timezone.now() - timedelta(seconds=1))

        assert client.get(LIST, headers={"authorization": f"Bearer {token}"}).status_code == 401

    def test_of_a_deactivated_user_is_401(self, client: Client, alice: User) -> None:
        _, token = tokens.make(alice, name="a")
        User.objects.update(is_active=False)

        assert client.get(LIST, headers={"authorization": f"Bearer {token}"}).status_code == 401

    def test_beside_a_cookie_wins(self, browser: Client) -> None:
        _, token = tokens.make(User.objects.create_user("bob"), name="a")
        bob = User.objects.get(username="bob").pk

        answer = browser.get(
            LIST, headers={"authorization": f"Bearer {token}", "x-kenny-account": str(bob)}
        )

        assert answer.status_code == 200

    def test_that_is_wrong_is_not_excused_by_a_cookie(self, browser: Client) -> None:
        assert browser.get(LIST, headers={"authorization": "Bearer kny_wrong"}).status_code == 401

    def test_is_looked_up_with_one_query(
        self, alice: User, django_assert_num_queries: object
    ) -> None:
        _, token = tokens.make(alice, name="a")
        tokens.find(token, now=timezone.now())

        with django_assert_num_queries(1):  # type: ignore[operator]  # pytest-django's fixture
            assert tokens.find(token, now=timezone.now()) is not None


class TestAccount:
    def test_that_is_another_one_is_409_for_reads_too(self, browser: Client, alice: User) -> None:
        answer = browser.get(LIST, headers={"x-kenny-account": str(alice.pk + 1)})

        assert code(answer) == (409, "account_mismatch")

    def test_is_compared_with_a_token_as_well(self, client: Client, alice: User) -> None:
        _, token = tokens.make(alice, name="a")

        answer = client.get(
            LIST, headers={"authorization": f"Bearer {token}", "x-kenny-account": "0"}
        )

        assert code(answer) == (409, "account_mismatch")

    @pytest.mark.parametrize("named", [None, "0", "", "1 ", "alice"])
    def test_must_be_named_by_a_browser_that_writes(
        self, browser: Client, named: str | None
    ) -> None:
        headers = {"x-csrftoken": csrf(browser)} | (
            {} if named is None else {"x-kenny-account": named}
        )

        answer = browser.post(LIST, {"id": "c"}, content_type="application/json", headers=headers)

        assert code(answer) == (409, "account_mismatch")
        assert browser.get(f"{LIST}/c").status_code == 404

    def test_is_judged_before_csrf_whose_token_belongs_to_the_other_account(
        self, browser: Client, alice: User
    ) -> None:
        headers = {"x-csrftoken": "of-another-sign-in", "x-kenny-account": str(alice.pk + 1)}

        answer = browser.post(LIST, {}, content_type="application/json", headers=headers)

        assert code(answer) == (409, "account_mismatch")


class TestCookie:
    def test_reads_without_more(self, browser: Client) -> None:
        assert browser.get(LIST).status_code == 200

    def test_writes_with_csrf_and_account(self, browser: Client, alice: User) -> None:
        headers = {"x-csrftoken": csrf(browser), "x-kenny-account": str(alice.pk)}

        answer = browser.post(LIST, {"id": "c"}, content_type="application/json", headers=headers)

        assert answer.status_code == 201

    def test_without_csrf_is_403(self, browser: Client, alice: User) -> None:
        answer = browser.post(
            LIST,
            {"id": "c"},
            content_type="application/json",
            headers={"x-kenny-account": str(alice.pk)},
        )

        assert code(answer) == (403, "forbidden")

    def test_of_nobody_is_401(self, client: Client) -> None:
        assert code(client.get(LIST)) == (401, "unauthenticated")


class TestThrottles:
    def test_never_refuse_a_thousand_requests_a_minute(self, client: Client, alice: User) -> None:
        _, token = tokens.make(alice, name="a")

        answers = {
            client.get(
                "/api/chat/pending", headers={"authorization": f"Bearer {token}"}
            ).status_code
            for _ in range(1000)
        }

        assert answers == {200}


class TestUnknownAddresses:
    def test_below_the_api_answer_in_its_shape(self, client: Client) -> None:
        answer = client.get("/api/nothing")

        assert code(answer) == (404, "not_found")

    def test_elsewhere_answer_with_a_page(self, client: Client) -> None:
        answer = client.get("/nothing")

        assert answer.status_code == 404
        assert "Nothing is here" in answer.content.decode()

    def test_of_a_foreign_host_are_400_in_the_apis_shape(self, client: Client) -> None:
        assert code(client.get(LIST, headers={"host": "evil.example"})) == (400, "bad_request")

"""The account page's section on usage."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from chat import spending
from chat.ledger import Budget
from history.clock import now_ms


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


def page(user: User, *, language: str = "en") -> str:
    client = Client(headers={"Accept-Language": language})
    client.force_login(user)
    answer = client.get("/accounts/")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


class TestUsage:
    def test_shows_today_and_this_month(self, alice: User) -> None:
        spending.add(
            alice.pk, model="claude-sonnet-5-5", usage={"input_tokens": 5000}, now=now_ms()
        )

        shown = page(alice)

        assert shown.count("5,000 tokens, $0.01") == 2
        assert page(alice, language="de").count("5.000 Tokens, 0,01 $") == 2
        assert "Budgets" not in shown

    def test_shows_budgets_and_when_a_used_up_one_opens(self, alice: User) -> None:
        group = Group.objects.create(name="Pumps <b>")
        alice.groups.add(group)
        Budget.objects.create(group=group, period="month", tokens=0)
        Budget.objects.create(user=alice, period="day", money=5_000_000)

        shown = page(alice)

        assert "Group Pumps &lt;b&gt;, all members" in shown
        assert "0 of 0 tokens" in shown
        assert "$0.00 of $5.00" in shown
        assert shown.count("Used up. It opens again on") == 1

    def test_shows_nobody_elses(self, alice: User) -> None:
        bob = User.objects.create_user("bob")
        spending.add(bob.pk, model="x", usage={"input_tokens": 5000}, now=now_ms())

        assert "5,000" not in page(alice)

"""Setting budgets in the admin site."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from chat import spending
from chat.ledger import Budget, Spend
from history.clock import now_ms

BUDGETS = "/admin/chat/budget/"


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def staff(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


def form(**given: object) -> dict[str, object]:
    return {"user": "", "group": "", "period": "day", "tokens": "", "dollars": "", **given}


class TestBudget:
    def test_is_set_in_dollars_and_kept_in_millionths(self, staff: Client, root: User) -> None:
        answer = staff.post(f"{BUDGETS}add/", form(user=root.pk, dollars="2.50", tokens=1000))

        assert answer.status_code == 302
        budget = Budget.objects.get()
        assert (budget.user, budget.money, budget.tokens) == (root, 2_500_000, 1000)

    def test_is_changed_and_lifted(self, staff: Client, root: User) -> None:
        group = Group.objects.create(name="Pumps")
        budget = Budget.objects.create(group=group, period="month", money=1_000_000)
        page = staff.get(f"{BUDGETS}{budget.pk}/change/").content.decode()

        staff.post(f"{BUDGETS}{budget.pk}/change/", form(group=group.pk, period="month", tokens=5))

        budget.refresh_from_db()
        assert 'value="1"' in page
        assert (budget.money, budget.tokens) == (None, 5)

    @pytest.mark.parametrize("given", [{}, {"tokens": 5}, {"dollars": "-1", "tokens": 5}])
    def test_is_refused_for_nobody_and_for_nothing(
        self, staff: Client, given: dict[str, object]
    ) -> None:
        answer = staff.post(f"{BUDGETS}add/", form(**given))

        assert answer.status_code == 200
        assert not Budget.objects.exists()

    def test_is_refused_without_a_limit_and_for_two(self, staff: Client, root: User) -> None:
        group = Group.objects.create(name="Pumps")
        for given in ({"user": root.pk}, {"user": root.pk, "group": group.pk, "tokens": 5}):
            assert staff.post(f"{BUDGETS}add/", form(**given)).status_code == 200

        assert not Budget.objects.exists()

    def test_shows_what_is_used_of_it(self, staff: Client, root: User) -> None:
        Budget.objects.create(user=root, period="day", tokens=2000, money=1_000_000)
        spending.add(root.pk, model="claude-sonnet-5-5", usage={"input_tokens": 1234}, now=now_ms())

        page = staff.get(BUDGETS).content.decode()

        assert "1,234 of 2,000" in page
        assert "of $1.00" in page


class TestSpend:
    def test_is_shown_and_never_edited(self, staff: Client, root: User) -> None:
        spending.add(root.pk, model="claude-sonnet-5-5", usage={"input_tokens": 1234}, now=now_ms())
        row = Spend.objects.get()

        page = staff.get("/admin/chat/spend/").content.decode()

        assert "1234" in page
        assert staff.get("/admin/chat/spend/add/").status_code == 403
        assert staff.post(f"/admin/chat/spend/{row.pk}/delete/").status_code == 403

"""Budgets: what is counted when, for whom, and how a send is refused until a period opens again."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction

from chat import closing, conclude, periods, spending
from chat.ledger import Budget, Spend
from chat.models import Turn
from chat.spending import Used
from history.clock import now_ms
from history.errors import RateLimited
from tests.history.conftest import Api
from tests.support.engine import Engine, Valves
from tests.support.notation import TU
from tests.support.scripted import calls, fails, says

MILLION = 1_000_000
USAGE = {
    "input_tokens": 100,
    "output_tokens": 10,
    "cache_creation_input_tokens": 1000,
    "cache_read_input_tokens": 10_000,
}
COST = 200 + 100 + 2500 + 1000
"""Millionths of a dollar, at the list price of the default model."""


def ms(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def api(engine: Engine) -> Api:
    return Api(engine.owner)


def spent(user: User) -> Spend:
    return Spend.objects.get(user=user)


class TestPeriods:
    @pytest.mark.parametrize(
        ("period", "now", "first", "opens"),
        [
            ("day", ms(2026, 11, 30, 23, 59, 59), 20261130, ms(2026, 12, 1)),
            ("day", ms(2026, 12, 1), 20261201, ms(2026, 12, 2)),
            ("month", ms(2026, 11, 30, 23, 59, 59), 20261101, ms(2026, 12, 1)),
            ("month", ms(2026, 12, 31, 1), 20261201, ms(2027, 1, 1)),
            ("month", ms(2028, 1, 31), 20280101, ms(2028, 2, 1)),
        ],
    )
    def test_begin_and_end_in_utc(self, period: str, now: int, first: int, opens: int) -> None:
        assert periods.first_day(period, now=now) == first
        assert periods.opens_at(period, now=now) == opens


class TestCounting:
    def test_is_done_by_kind_and_with_its_cost(self, engine: Engine) -> None:
        engine.script(says("hi", usage=USAGE))

        engine.say()

        row = spent(engine.owner)
        assert (row.input, row.output, row.cache_write, row.cache_read) == (100, 10, 1000, 10_000)
        assert (row.cost, row.model, row.day) == (
            COST,
            "claude-sonnet-5-5",
            periods.day_of(now_ms()),
        )

    def test_adds_turns_up(self, engine: Engine) -> None:
        engine.script(says("hi", usage=USAGE), says("again", usage=USAGE))

        engine.say()
        engine.say()

        assert spent(engine.owner).cost == 2 * COST

    def test_counts_attempts_that_failed(self, engine: Engine) -> None:
        failed = fails("transient")
        engine.script(failed, failed, failed)

        events = engine.say()

        assert events[-1]["stopReason"] == "failed"
        assert spent(engine.owner).output == 3 * failed.usage["output_tokens"]

    def test_counts_a_held_turn_once(self, engine: Engine, valves: Valves) -> None:
        engine.script(calls(TU("a1", "set_valve"), usage=USAGE), says("done", usage=USAGE))
        engine.say()
        held = spent(engine.owner).cost

        engine.decide(approve=True)

        assert (held, spent(engine.owner).cost) == (COST, 2 * COST)

    def test_counts_a_turn_whose_conversation_is_deleted_while_it_is_held(
        self, engine: Engine, api: Api
    ) -> None:
        engine.script(calls(TU("a1", "set_valve"), usage=USAGE))
        engine.say()

        api.delete("c-1")

        assert spent(engine.owner).cost == COST

    def test_counts_a_turn_whose_conversation_is_deleted_while_it_is_answered(
        self, engine: Engine, api: Api
    ) -> None:
        """What was streamed is billed, so deleting is no way past a budget."""
        engine.script(
            calls(TU("a1", "read_gauge"), usage=USAGE), says("a long answer", usage=USAGE, hold=1)
        )
        turn = engine.send()
        engine.until_held()
        api.delete("c-1")

        engine.until(lambda: engine.is_idle(turn))

        assert spent(engine.owner).cost == 2 * COST

    def test_counts_what_was_stopped(self, engine: Engine) -> None:
        engine.script(says("a long answer", usage=USAGE, hold=1))
        turn = engine.send()
        engine.until_held()
        engine.stop(turn)

        engine.watch(turn)

        assert spent(engine.owner).cost == COST

    def test_counts_a_turn_that_crashed_at_its_recovery(
        self, engine: Engine, valves: Valves
    ) -> None:
        engine.script(calls(TU("a1", "read_gauge"), usage=USAGE), says("never", hold=0))
        turn = engine.send()
        engine.until_held()
        Turn.objects.filter(pk=turn.pk).update(lease_owner="gone", fence=99)

        conclude.conclude(turn.pk, closing.RESTART, now=now_ms())

        assert spent(engine.owner).cost == COST

    def test_counts_for_nobody_who_is_gone(self, engine: Engine) -> None:
        spending.add(10**9, model="x", usage=USAGE, now=now_ms())

        assert not Spend.objects.exists()


class TestRefusal:
    def budget(self, engine: Engine, **given: object) -> Budget:
        given.setdefault("user", engine.owner)
        return Budget.objects.create(**{"period": "day", **given})

    def refused(self, api: Api, cid: str = "c-2") -> dict[str, object]:
        answer = api("POST", "chat/stream", {"conversationId": cid, "message": "more"})
        assert (answer.status_code, answer.body["error"]["code"]) == (429, "rate_limited")
        return {"after": int(answer.headers["Retry-After"]), **answer.body["error"]}

    @pytest.mark.parametrize("limit", [{"tokens": 11_110}, {"money": COST}])
    def test_comes_when_a_budget_is_used_up_and_says_until_when(
        self, engine: Engine, api: Api, limit: dict[str, int]
    ) -> None:
        self.budget(engine, **limit)
        engine.script(says("hi", usage=USAGE))
        engine.say()

        error = self.refused(api)

        opens = periods.opens_at("day", now=now_ms())
        assert periods.written(opens) in str(error["message"])
        assert error["opensAt"] == opens
        assert abs(now_ms() + int(str(error["after"])) * 1000 - opens) < 5000
        assert api.get("c-2").status_code == 404, "what is refused changes nothing"

    def test_names_the_budget_that_opens_last(self, engine: Engine, api: Api) -> None:
        self.budget(engine, tokens=0)
        self.budget(engine, tokens=0, period="month")

        assert self.refused(api)["opensAt"] == periods.opens_at("month", now=now_ms())

    def test_does_not_come_below_the_limit(self, engine: Engine) -> None:
        self.budget(engine, tokens=11_111, money=COST + 1)
        engine.script(says("hi", usage=USAGE), says("again"))
        engine.say()

        assert engine.say("more")[-1]["stopReason"] == "end_turn"

    def test_counts_what_other_turns_have_not_settled_yet(
        self, engine: Engine, api: Api, valves: Valves
    ) -> None:
        self.budget(engine, tokens=11_110)
        engine.script(calls(TU("a1", "read_gauge"), usage=USAGE), says("a long answer", hold=1))
        turn = engine.send()
        engine.until_held()

        self.refused(api)
        engine.stop(turn)
        engine.watch(turn)

    def test_comes_when_the_members_of_a_group_have_used_it_up_together(
        self, engine: Engine, api: Api
    ) -> None:
        group = Group.objects.create(name="Pumps")
        bob = User.objects.create_user("bob")
        for member in (engine.owner, bob):
            member.groups.add(group)
        self.budget(engine, user=None, group=group, tokens=11_110)
        spending.add(bob.pk, model="claude-opus-5-5", usage=USAGE, now=now_ms())

        assert "The budget of Pumps" in str(self.refused(api)["message"])

    def test_does_not_come_for_what_strangers_or_earlier_days_have_used(
        self, engine: Engine
    ) -> None:
        self.budget(engine, tokens=1)
        bob = User.objects.create_user("bob")
        spending.add(bob.pk, model="x", usage=USAGE, now=now_ms())
        spending.add(engine.owner.pk, model="x", usage=USAGE, now=now_ms() - 86_400_000)

        assert engine.say()[-1]["stopReason"] == "end_turn"

    def test_does_not_keep_a_retry_from_its_own_turn(self, engine: Engine) -> None:
        """The turn id attaches to what exists, whatever has been used since."""
        engine.script(says("hi", usage=USAGE))
        turn = engine.send(turn_id="t-1")
        engine.watch(turn)
        self.budget(engine, tokens=0)

        again = engine.start(turn_id="t-1")

        assert (again.turn.pk, again.fresh) == (turn.pk, False)

    def test_leaves_a_held_call_to_its_decision(self, engine: Engine, valves: Valves) -> None:
        engine.script(calls(TU("a1", "set_valve"), usage=USAGE), says("done"))
        engine.say()
        self.budget(engine, tokens=0)

        assert engine.decide(approve=True)[-1]["stopReason"] == "end_turn"

    def test_comes_at_the_socket_in_the_same_words(self, engine: Engine) -> None:
        self.budget(engine, money=0)
        with pytest.raises(RateLimited) as raised:
            engine.send()

        assert raised.value.facts["retryAfter"] > 0


class TestRows:
    def test_belong_to_a_user_or_a_group(self, owner: User) -> None:
        group = Group.objects.create(name="Pumps")
        for wrong in ({}, {"user": owner, "group": group}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Budget.objects.create(period="day", tokens=1, **wrong)

    def test_stand_once_for_each_period(self, owner: User) -> None:
        Budget.objects.create(user=owner, period="day", tokens=1)
        Budget.objects.create(user=owner, period="month", tokens=1)
        with pytest.raises(IntegrityError), transaction.atomic():
            Budget.objects.create(user=owner, period="day", tokens=2)

    def test_are_shown_for_people(self, owner: User) -> None:
        Budget.objects.create(user=owner, period="day", tokens=20_000, money=2 * MILLION)
        spending.add(owner.pk, model="claude-sonnet-5-5", usage=USAGE, now=now_ms())

        overview = spending.overview(owner.pk, now=now_ms())

        assert overview.day == overview.month == Used(11_110, COST)
        (standing,) = overview.standings
        assert (standing.tokens, standing.money) == ("11,110 of 20,000", "$0.0038 of $2.00")
        assert str(Used(1, 0)) == "1 tokens, $0.00"

"""Section 7, rule 6: what changes something waits for a person's yes, given once for what was shown."""

import pytest

from tests.contract.place import Caller
from tests.contract.saying import at, code, delete, messages, patch, put
from tests.contract.turning import held, kinds, pending_of, refused, tidy_up
from tests.support.sse import decide, stream

pytestmark = pytest.mark.usefixtures("demo")


class TestGate:
    def test_holds_a_change_until_a_yes(self, me: Caller, cid: str) -> None:
        name, events = held(me, cid)
        pending = pending_of(events)
        waiting = me.get("/api/chat/pending").json["pending"]
        live = me.get(at(cid)).json["live"]
        again = refused(stream(me, "and?", conversationId=cid))
        save = put(me, cid, {"messages": messages()})
        renamed = patch(me, cid, title="while held")
        with decide(me, pending, approve=True) as decided:
            after = decided.rest()

        assert (events[-1]["done"], events[-1]["pending"]) == (False, [pending["callId"]])
        assert "tool_result" not in kinds(events)
        assert [p["digest"] for p in waiting if p["conversationId"] == cid] == [pending["digest"]]
        assert live == {"turnId": pending["turnId"], "status": "held"}
        assert (again, code(save), renamed.status) == ((409, "pending"), (409, "pending"), 200)
        assert after[0]["seq"] == events[-1]["seq"] + 1
        (result,) = [event for event in after if event["type"] == "tool_result"]
        assert (result["ok"], result["autoRun"]) == (True, False)
        assert after[-1]["done"] is True
        assert me.get(at(cid)).json["live"] is None
        tidy_up(me, cid, name)

    def test_runs_nothing_after_a_no(self, me: Caller, cid: str) -> None:
        name, events = held(me, cid)
        with decide(me, pending_of(events), approve=False) as decided:
            after = decided.rest()
        with stream(me, f"read {name}", conversationId=cid) as asked:
            (result,) = [e for e in asked.rest() if e["type"] == "tool_result"]

        (denied,) = [event for event in after if event["type"] == "denied"]
        assert denied["code"] == "denied"
        assert result["ok"] is False
        denied_again = [
            event
            for event in me.get(f"/api/chat/history/{cid}").json["transcript"]
            if event["type"] == "denied"
        ]
        assert [event["callId"] for event in denied_again] == [denied["callId"]]

    def test_takes_one_decision_for_what_was_shown(
        self, me: Caller, other: Caller, cid: str
    ) -> None:
        _, events = held(me, cid)
        pending = pending_of(events)

        wrong = refused(decide(me, pending, approve=True, changes={"digest": "0" * 64}))
        unknown = refused(decide(me, pending, approve=True, changes={"callId": "toolu_none"}))
        foreign = refused(decide(other, pending, approve=True))
        with decide(me, pending, approve=False) as decided:
            decided.rest()
        late = decide(me, pending, approve=True)

        assert (wrong, unknown) == ((409, "digest_mismatch"), (404, "not_found"))
        assert foreign == (404, "not_found")
        assert refused(late) == (409, "decided")
        assert {"decision", "decidedBy", "decidedAt"} <= set(late.body["error"])

    def test_ends_with_the_conversation(self, me: Caller, cid: str) -> None:
        _, events = held(me, cid)

        delete(me, cid)

        assert refused(decide(me, pending_of(events), approve=True))[0] in {404, 410}
        assert cid not in [
            event["conversationId"] for event in me.get("/api/chat/pending").json["pending"]
        ]

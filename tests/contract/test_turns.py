"""Section 7: a turn over Server-Sent Events with the demo model, whose rules make it call and change what is wished."""

import pytest

from tests.contract.conftest import NewId
from tests.contract.place import Caller
from tests.contract.saying import at, code, delete, messages, put
from tests.contract.turning import fresh_turn, held, kinds, refused
from tests.support.http import Answer
from tests.support.sse import stream, turn_events

pytestmark = pytest.mark.usefixtures("demo")


class TestTurn:
    def test_makes_the_conversation_and_runs_what_only_reads(self, me: Caller, cid: str) -> None:
        with stream(me, "what time is it?", conversationId=cid) as sent:
            events = sent.rest()
        stored = me.get(at(cid)).json
        replay = me.get(f"/api/chat/history/{cid}").json["transcript"]

        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert {event["turnId"] for event in events} == {events[0]["turnId"]}
        assert (events[0]["type"], events[0]["text"]) == ("user_text", "what time is it?")
        (result,) = [event for event in events if event["type"] == "tool_result"]
        assert (result["ok"], result["autoRun"], result["tool"]) == (True, True, "current_time")
        assert events[-1]["done"] is True
        assert (events[-1]["stopReason"], events[-1]["pending"]) == ("end_turn", [])
        assert events[-1]["version"] == stored["version"]
        assert (stored["title"], stored["agentId"]) == ("what time is it?", "workspace")
        assert [m["role"] for m in stored["messages"]] == ["user", "assistant", "user", "assistant"]
        assert {"user_text", "text_delta", "tool_call", "tool_result"} <= set(kinds(replay))

    def test_under_its_id_again_attaches_and_never_runs_twice(self, me: Caller, cid: str) -> None:
        turn_id, words = fresh_turn(), "hello"
        about = {"conversationId": cid, "turnId": turn_id}
        with stream(me, words, **about) as first:
            events = first.rest()
        with stream(me, words, **about) as again:
            assert again.rest() == events
        version = me.get(at(cid)).json["version"]

        assert refused(stream(me, "other words", **about)) == (422, "mismatch")
        assert me.get(at(cid)).json["version"] == version == events[-1]["version"]

    def test_is_watched_again_from_any_event(self, me: Caller, cid: str) -> None:
        turn_id = fresh_turn()
        with stream(me, "hello", conversationId=cid, turnId=turn_id) as sent:
            sent.until("text_delta")
        whole = turn_events(me, turn_id)

        assert whole[0]["seq"] == 1
        assert whole[-1]["type"] == "done"
        assert turn_events(me, turn_id, after=3) == whole[3:]

    def test_that_is_edited_keeps_the_first_messages(self, me: Caller, cid: str) -> None:
        with stream(me, "hello", conversationId=cid) as sent:
            version = sent.rest()[-1]["version"]
        cut = {"conversationId": cid, "truncateAt": 0}

        stale = refused(stream(me, "hi", **cut, version=version - 1))
        not_a_persons = {**cut, "truncateAt": 1}
        wrong = refused(stream(me, "hi", **not_a_persons, version=version))
        with stream(me, "hi", **cut, version=version) as edited:
            edited.rest()

        assert (stale, wrong) == ((412, "conflict"), (400, "bad_request"))
        said = [e["text"] for e in me.get(f"/api/chat/history/{cid}").json["transcript"]]
        assert said[0] == "hi"
        assert "hello" not in said

    def test_never_overwrites_a_persons_title(self, me: Caller, cid: str) -> None:
        put(me, cid, {"title": "mine"})
        with stream(me, "hello", conversationId=cid) as sent:
            sent.rest()

        assert me.get(at(cid)).json["title"] == "mine"


class TestStop:
    def test_keeps_what_was_shown(self, me: Caller, cid: str) -> None:
        turn_id = fresh_turn()
        with stream(me, "a long essay, please", conversationId=cid, turnId=turn_id) as sent:
            sent.until("text_delta")
            busy = refused(stream(me, "more", conversationId=cid))
            saved = put(me, cid, {"messages": messages()})
            stopped = [me.post(f"/api/chat/turns/{turn_id}/stop") for _ in range(2)]
            events = sent.rest()
        stored = me.get(at(cid)).json["messages"]

        assert (busy, code(saved)) == ((409, "busy"), (409, "busy"))
        assert [answer.status for answer in stopped] == [200, 200]
        assert (events[-1]["type"], events[-1]["stopReason"]) == ("done", "stopped")
        shown = "".join(event["text"] for event in events if event["type"] == "text_delta")
        assert shown.strip()
        assert shown.strip()[:40] in str([m["content"] for m in stored])
        with stream(me, "hello", conversationId=cid) as on:
            assert on.rest()[-1]["stopReason"] == "end_turn"

    def test_denies_what_is_held(self, me: Caller, cid: str) -> None:
        turn_id = fresh_turn()
        held(me, cid, turn_id)

        answer = me.post(f"/api/chat/turns/{turn_id}/stop")
        events = turn_events(me, turn_id)

        assert answer.status == 200
        assert [event["code"] for event in events if event["type"] == "denied"] == ["stopped"]
        assert (events[-1]["done"], events[-1]["stopReason"]) == (True, "stopped")


class TestRefusals:
    def test_of_a_send_change_nothing(self, me: Caller, new_id: NewId) -> None:
        dead, never = new_id(), new_id()
        delete(me, dead)

        assert refused(stream(me, "hi", conversationId=dead)) == (410, "deleted")
        wrong: list[tuple[dict[str, object], str]] = [
            ({"message": ""}, "bad_request"),
            ({"message": "hi", "agentId": "nobody-knows"}, "bad_request"),
            ({"message": "hi", "colour": "red"}, "unknown_field"),
            ({"message": "hi", "turnId": "a b"}, "invalid_id"),
            ({"message": "hi", "truncateAt": 0}, "bad_request"),
        ]
        answers = [
            code(me.post("/api/chat/stream", {"conversationId": never, **body}))
            for body, _ in wrong
        ]
        assert answers == [(400, name) for _, name in wrong]
        assert me.get(at(never)).status == 404

    def test_of_a_turn_never_seen_or_somebody_elses_are_alike(
        self, me: Caller, other: Caller, cid: str
    ) -> None:
        turn_id = fresh_turn()
        with stream(me, "hello", conversationId=cid, turnId=turn_id) as sent:
            sent.rest()

        def asked(name: str) -> list[Answer]:
            path = f"/api/chat/turns/{name}"
            return [other.get(f"{path}/events"), other.post(f"{path}/stop")]

        foreign, unknown = asked(turn_id), asked(fresh_turn())
        assert [code(answer) for answer in foreign] == [(404, "not_found")] * 2
        assert [answer.content for answer in foreign] == [answer.content for answer in unknown]
        with stream(other, "hello", conversationId=cid, turnId=turn_id) as own:
            assert own.rest()[-1]["done"] is True
        assert delete(other, cid).status == 200
        assert me.get(at(cid)).status == 200

"""The same turn by REST: Server-Sent Events, decisions, stop, what is pending, errors before a stream."""

import base64
import json

import pytest

from tests.e2e.turns import numbers, two_rounds
from tests.support.answers import calls, says, use
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.notation import png
from tests.support.server import Server
from tests.support.sockets import Socket
from tests.support.sse import Stream, decide, stream, turn_events, words_of
from tests.support.upstream import Upstream


class TestTurn:
    def test_runs_two_rounds_of_tools_with_one_yes_and_one_no(
        self, person: Client, cast: Cast, product: Server
    ) -> None:
        with stream(person, two_rounds(cast, path="sse")) as sent:
            held = sent.rest()
        first, second = [event for event in held if event["type"] == "pending"]
        with decide(person, first, approve=True) as yes:
            middle = yes.rest()
        with decide(person, second, approve=False) as no:
            last = no.rest()
        whole = turn_events(person, held[0]["turnId"])

        assert [held[-1]["done"], middle[-1]["done"], last[-1]["done"]] == [False, False, True]
        assert held + middle + last == whole
        assert numbers(whole) == list(range(1, len(whole) + 1))
        assert words_of(whole) == "I look. Now two files. One of them is there."
        folder = next(product.data.glob("workspaces/*/sse"))
        assert [path.name for path in folder.iterdir()] == ["yes.txt"]

    def test_is_seen_alike_by_two_sockets_and_a_stream(self, person: Client, cast: Cast) -> None:
        with Socket(person) as one, Socket(person) as two:
            ack = one.ask("send", message=two_rounds(cast, path="alike"))
            two.ask("watch", conversationId=ack["conversationId"])
            path = f"/api/chat/turns/{ack['turnId']}/events"
            with Stream(person, "GET", path) as watching:
                first = watching.until("pending")
                second = watching.until("pending")
                streamed = watching.rest()
            for pending, approve in ((first, True), (second, False)):
                with decide(person, pending, approve=approve) as decided:
                    streamed = streamed + decided.rest()
            for socket in (one, two):
                socket.until(lambda f: f["type"] == "done" and f["done"])

        assert one.events(ack["turnId"]) == two.events(ack["turnId"]) == streamed

    def test_goes_on_without_its_reader(self, person: Client, cast: Cast, hold: Upstream) -> None:
        words = cast.teach("leave", says("All of it arrives", chunk=4, hold_after=1))
        with stream(person, words) as sent:
            turn_id = sent.until("text_delta")["turnId"]
        hold.release()
        events = turn_events(person, turn_id)

        assert words_of(events) == "All of it arrives"
        assert events[-1]["stopReason"] == "end_turn"

    def test_attaches_a_repeated_post_to_its_turn(self, person: Client, cast: Cast) -> None:
        words = cast.teach("again", says("Once."))
        body = {"turnId": "again", "conversationId": "c-again"}
        with stream(person, words, **body) as first:
            one = first.rest()
        with stream(person, words, **body) as second:
            two = second.rest()
        with stream(person, "other words", **body) as third:
            assert (third.status, third.body["error"]["code"]) == (422, "mismatch")

        assert one == two

    def test_edits_an_earlier_message(self, person: Client, cast: Cast) -> None:
        with stream(person, cast.teach("draft", says("First."))) as sent:
            done = sent.rest()[-1]
        about = {"conversationId": done["conversationId"], "truncateAt": 0}
        with stream(person, "stale", **about, version=done["version"] - 1) as stale:
            assert (stale.status, stale.body["error"]["code"]) == (412, "conflict")
        words = cast.teach("better", says("Second."))
        with stream(person, words, **about, version=done["version"]) as edited:
            edited.rest()
        replay = person.get(f"/api/chat/history/{done['conversationId']}").json["transcript"]

        assert [event["text"] for event in replay] == [words, "Second."]

    def test_takes_images_and_shows_them_by_address(self, person: Client, cast: Cast) -> None:
        image = {"mediaType": "image/png", "data": png(3, 2)}
        words = cast.teach("see this", says("Seen."))
        with stream(person, words, images=[image]) as sent:
            said = sent.rest()[0]
        picture = said["images"][0]
        answer = person.get(picture["url"])

        assert (picture["mediaType"], picture["width"], picture["height"]) == ("image/png", 3, 2)
        assert answer.content == base64.b64decode(image["data"])


class TestDecision:
    def held(self, person: Client, cast: Cast) -> dict[str, str]:
        words = cast.teach("ask me", calls(use("write_file", path="gate.txt", content="in")))
        with stream(person, words) as sent:
            return sent.until("pending")

    def test_is_listed_until_it_is_made_and_made_once(self, person: Client, cast: Cast) -> None:
        pending = self.held(person, cast)
        listed = person.get("/api/chat/pending").json["pending"]
        with decide(person, pending, approve=True) as yes:
            yes.rest()
        with decide(person, pending, approve=False) as no:
            refused = (no.status, no.body["error"])

        assert [event["callId"] for event in listed] == [pending["callId"]]
        assert {name: listed[0][name] for name in listed[0]} == {
            name: pending[name] for name in listed[0]
        }
        assert refused[0] == 409
        assert (refused[1]["code"], refused[1]["decision"]) == ("decided", "approved")
        assert isinstance(refused[1]["decidedAt"], int)
        assert person.get("/api/chat/pending").json == {"pending": []}

    @pytest.mark.parametrize(
        ("changes", "status", "code"),
        [
            ({"digest": "0" * 64}, 409, "digest_mismatch"),
            ({"callId": "toolu_nobody"}, 404, "not_found"),
            ({"conversationId": "c-nowhere"}, 404, "not_found"),
            ({"args": {"path": "other"}}, 400, "unknown_field"),
            ({"approve": "yes"}, 400, "bad_request"),
        ],
    )
    def test_is_refused_when_it_is_not_about_this_call(
        self, person: Client, cast: Cast, changes: dict[str, object], status: int, code: str
    ) -> None:
        pending = self.held(person, cast)
        with decide(person, pending, approve=True, changes=changes) as refused:
            answer = (refused.status, refused.body["error"]["code"])

        assert answer == (status, code)
        assert len(person.get("/api/chat/pending").json["pending"]) == 1

    def test_is_no_by_a_stop(self, person: Client, cast: Cast) -> None:
        pending = self.held(person, cast)
        path = f"/api/chat/turns/{pending['turnId']}/stop"
        answers = [person.post(path), person.post(path)]
        events = turn_events(person, pending["turnId"])

        assert [answer.status for answer in answers] == [200, 200]
        assert (events[-2]["type"], events[-2]["code"]) == ("denied", "stopped")
        assert (events[-1]["done"], events[-1]["stopReason"]) == (True, "stopped")


class TestErrors:
    def test_are_json_before_a_stream_begins(self, person: Client) -> None:
        answer = person.post("/api/chat/stream", {"message": ""}, accept="text/event-stream")

        assert answer.status == 400
        assert answer.headers["content-type"].startswith("application/json")
        assert json.loads(answer.content)["error"]["code"] == "bad_request"

    def test_come_as_events_once_a_stream_has_begun(self, person: Client, cast: Cast) -> None:
        words = cast.teach("no credit", says("", status=400, error="billing_error"))
        with stream(person, words) as sent:
            events = sent.rest()

        kinds = [event["type"] for event in events]
        assert kinds[0] == "user_text"
        assert kinds[-2:] == ["error", "done"]
        assert events[-1]["stopReason"] == "failed"

    @pytest.mark.parametrize("after", ["x", "-1", "1.5", "9" * 20])
    def test_name_a_position_that_is_none(self, person: Client, cast: Cast, after: str) -> None:
        with stream(person, cast.teach("numbers", says("Well."))) as sent:
            turn_id = sent.rest()[0]["turnId"]
        answer = person.get(f"/api/chat/turns/{turn_id}/events", last_event_id=after)

        assert (answer.status, answer.json["error"]["code"]) == (400, "bad_request")

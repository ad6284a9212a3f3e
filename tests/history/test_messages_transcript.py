"""A stored list as people see it."""

from typing import Any

import pytest

from history import outcomes
from history.fence import fence
from history.messages import (
    Message,
    note,
    pending_tool_uses,
    preview_of,
    text_of,
    title_of,
    transcript,
)
from tests.support.notation import IMG, TH, TR, TU, A, T, U

PICTURE = {"url": "/i/1", "mediaType": "image/png", "width": 4, "height": 3}


def events(messages: list[Message], **more: Any) -> list[dict[str, Any]]:
    return transcript(
        messages,
        image_url=lambda block: PICTURE if block["source"]["data"] == "AAAA" else None,
        **more,
    )


class TestTranscript:
    def test_tells_a_whole_turn_in_the_events_of_the_live_stream(self) -> None:
        fenced = fence("7 bar", mark="m1", source="read_gauge")
        messages = [
            U(T("how much?"), IMG("AAAA")),
            A(TH("hm"), T("I look."), TU("a1", "read_gauge", v=1)),
            U(TR("a1", [T(fenced), IMG("AAAA"), IMG("BBBB")])),
            A(T("7 bar.")),
        ]

        assert events(messages, agent_id="plant") == [
            {"type": "user_text", "text": "how much?", "images": [PICTURE]},
            {"type": "thinking_delta", "text": "hm"},
            {"type": "text_delta", "text": "I look."},
            {
                "type": "tool_call",
                "callId": "a1",
                "tool": "read_gauge",
                "args": {"v": 1},
                "agentId": "plant",
            },
            {
                "type": "tool_result",
                "callId": "a1",
                "tool": "read_gauge",
                "args": {"v": 1},
                "ok": True,
                "autoRun": None,
                "text": "7 bar",
                "images": [PICTURE, None],
                "error": None,
            },
            {"type": "text_delta", "text": "7 bar."},
        ]

    @pytest.mark.parametrize(
        ("sentence", "code"),
        [
            (outcomes.DENIED, "denied"),
            (outcomes.EXPIRED, "expired"),
            (outcomes.REPEATED, "repeated"),
            (outcomes.STOPPED, "stopped"),
        ],
    )
    def test_tells_who_refused(self, sentence: str, code: str) -> None:
        messages = [U(T("x")), A(TU("a1", v=1)), U(TR("a1", sentence, is_error=True))]

        assert events(messages)[-1] == {
            "type": "denied",
            "callId": "a1",
            "tool": "set_valve",
            "args": {"v": 1},
            "agentId": None,
            "code": code,
            "message": sentence,
        }

    @pytest.mark.parametrize("sentence", [outcomes.UNKNOWN, outcomes.NOT_RUN])
    def test_tells_a_call_that_gave_nothing_as_a_failure(self, sentence: str) -> None:
        last = events([U(T("x")), A(TU("a1")), U(TR("a1", sentence, is_error=True))])[-1]

        assert (last["type"], last["ok"], last["error"]) == ("tool_result", False, sentence)

    @pytest.mark.parametrize(
        "result",
        [
            TR("a1", outcomes.DENIED),
            TR("a1", fence(outcomes.DENIED, mark="m1", source="set_valve"), is_error=True),
        ],
    )
    def test_believes_no_tool_that_speaks_in_our_words(self, result: dict[str, Any]) -> None:
        assert events([U(T("x")), A(TU("a1")), U(result)])[-1]["type"] == "tool_result"

    def test_shows_a_call_that_waits_and_no_pending_event(self) -> None:
        messages = [U(T("x")), A(TU("a1"))]

        assert [event["type"] for event in events(messages)] == ["user_text", "tool_call"]

    def test_hides_a_note_with_words_after_it(self) -> None:
        messages = [U(note("agent: plant"), T("x")), U(TR("a0"), note("agent: plant"), T("y"))]

        texts = [event["text"] for event in events(messages) if event["type"] == "user_text"]

        assert texts == ["x", "y"]

    def test_shows_a_note_that_is_all_somebody_typed(self) -> None:
        typed = "<kenny-note>x</kenny-note>"

        texts = [
            event["text"]
            for event in events(
                [U(T(typed)), U(T("a"), T(typed)), {"role": "user", "content": typed}]
            )
        ]

        assert texts == [typed, f"a\n\n{typed}", typed]

    def test_leaves_out_what_cannot_be_seen(self) -> None:
        messages = [
            U(T("x")),
            A(TH(""), {"type": "redacted_thinking", "data": "x"}, T("")),
            {"role": "system", "content": "y"},
        ]

        assert [event["type"] for event in events(messages)] == ["user_text"]

    def test_tells_a_result_without_its_call_without_a_name(self) -> None:
        event = events([U(TR("gone", "7 bar"))])[0]

        assert (event["tool"], event["args"], event["text"]) == ("", {}, "7 bar")


class TestNote:
    def test_cannot_be_left_early(self) -> None:
        assert note("a</kenny-note>b") == T("<kenny-note>ab</kenny-note>")


class TestPendingToolUses:
    def test_are_the_calls_of_a_last_reply(self) -> None:
        assert pending_tool_uses([U(T("x")), A(T("y"), TU("a1"), TU("a2"))]) == [TU("a1"), TU("a2")]

    @pytest.mark.parametrize(
        "messages", [[], [U(T("x"))], [A(TU("a1")), U(TR("a1"))], [A(T("done"))]]
    )
    def test_are_none_when_nothing_waits(self, messages: list[Message]) -> None:
        assert pending_tool_uses(messages) == []


class TestTitleOf:
    def test_is_the_first_words_of_a_person_on_one_line(self) -> None:
        messages = [
            U(note("agent: plant"), IMG("AAAA"), T("  open\n\tV1  ")),
            A(T("done")),
            U(T("more")),
        ]

        assert title_of(messages) == "open V1"

    def test_is_at_most_eighty_characters_long(self) -> None:
        assert title_of("word " * 40) == ("word " * 16).rstrip()

    def test_can_be_stored(self) -> None:
        assert title_of("a\x00b\ud83d") == "a\u2400b\ufffd"

    def test_looks_past_messages_without_words(self) -> None:
        assert title_of([U(IMG("AAAA")), U(T("x"))]) == "x"
        assert title_of([U(IMG("AAAA"))]) == ""


class TestPreviewOf:
    def test_is_the_last_words_of_either_side(self) -> None:
        assert preview_of([U(T("x")), A(T("first"), T("last\nwords"))]) == "last words"
        assert preview_of([U(T("x")), A(TU("a1")), U(TR("a1", "secret"))]) == "x"
        assert preview_of([U(T("w" * 500))]) == "w" * 160
        assert preview_of([]) == ""


class TestTextOf:
    def test_holds_all_that_is_worth_finding(self) -> None:
        fenced = fence("7 bar", mark="m1", source="read_gauge")
        messages = [
            U(note("agent: plant"), T("question")),
            A(TH("thought"), T("answer"), TU("a1", path="notes.md", deep=[{"k": "inner"}])),
            U(TR("a1", fenced)),
        ]

        assert list(text_of(messages)) == ["question", "answer", "notes.md", "inner", "7 bar"]

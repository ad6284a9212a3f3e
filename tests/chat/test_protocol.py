"""Frames on their way in: what the page sends is understood, everything else is refused by name and never by value."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat import protocol
from chat.protocol import BadFrame, Confirm, Ping, Send, Stop, Unwatch, Watch, parse, read_send
from chat.reader import Reader
from history.errors import BadRequest, InvalidId, Refused, TooLarge, UnknownField

CONTRACTS = Path(__file__).parents[1] / "contracts"
CANARY = "hunter-x"
FRAMES = {
    "send": Send,
    "watch": Watch,
    "unwatch": Unwatch,
    "confirm": Confirm,
    "stop": Stop,
    "ping": Ping,
}


def golden(name: str) -> dict[str, Any]:
    frame: dict[str, Any] = json.loads((CONTRACTS / f"{name}.json").read_text())
    return frame


class TestAFrame:
    @pytest.mark.parametrize("name", FRAMES)
    def test_of_the_page_is_understood(self, name: str) -> None:
        frame, ref = parse(golden(name))

        assert type(frame) is FRAMES[name]
        assert ref == golden(name)["ref"]

    @pytest.mark.parametrize("name", FRAMES)
    def test_of_the_page_is_understood_whole(self, name: str) -> None:
        """Every field of the golden frame arrives under its own name."""
        frame, _ = parse(golden(name))

        sent = {key: value for key, value in golden(name).items() if key not in {"type", "ref"}}
        assert {key: getattr(frame, _snake(key)) for key in sent} == sent

    @pytest.mark.parametrize("name", FRAMES)
    def test_with_a_field_too_many_is_refused(self, name: str) -> None:
        with pytest.raises(UnknownField) as refused:
            parse(golden(name) | {"surprise": "secret"})

        assert refused.value.facts == {"fields": ["surprise"]}
        assert "secret" not in refused.value.message

    @pytest.mark.parametrize(
        "body",
        [None, 7, "send", [], {}, {"type": 7}, {"type": "shout"}, {"type": "ping", "ref": 7}, {"type": "ping", "ref": "x" * 129}],
    )  # fmt: skip
    def test_that_is_none_is_a_bad_frame(self, body: object) -> None:
        """Contract 7: it gets `error`, the fifth within a minute closes the socket."""
        with pytest.raises(BadFrame):
            parse(body)

    def test_carries_no_images(self) -> None:
        """Contract 7: they go by POST."""
        with pytest.raises(BadRequest):
            parse({"type": "send", "message": "x", "images": []})

    def test_watches_from_a_number_of_one_turn_only(self) -> None:
        with pytest.raises(BadRequest):
            parse({"type": "watch", "conversationId": "c-1", "after": 3})

    @pytest.mark.parametrize("name", ["watch", "unwatch", "confirm", "stop"])
    def test_without_what_it_needs_names_it(self, name: str) -> None:
        with pytest.raises(BadRequest, match="is required"):
            parse({"type": name})

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=8,
        )
    )
    def test_of_any_shape_is_read_or_refused(self, body: Any) -> None:
        for candidate in (
            body,
            {"type": "send", "message": body},
            {"type": "confirm", "approve": body},
        ):
            try:
                parse(candidate)
            except Refused as error:
                assert error.status == 400  # noqa: PT017  either is right


class TestSend:
    def send(self, **body: Any) -> Send:
        return read_send(Reader({"message": "open V1", **body}))

    def test_takes_a_message_and_nothing_else(self) -> None:
        assert self.send() == Send(message="open V1")

    def test_takes_what_the_contract_lists(self) -> None:
        picture = {"mediaType": "image/png", "data": "AAAA"}

        send = self.send(
            conversationId="c-1", turnId="t-1", agentId="kenny", images=[picture], truncateAt=2, version=3
        )  # fmt: skip

        assert (send.conversation_id, send.turn_id, send.agent_id) == ("c-1", "t-1", "kenny")
        assert (send.truncate_at, send.version, send.images[0].data) == (2, 3, "AAAA")

    @pytest.mark.parametrize("message", ["", "   ", "\n\t"])
    def test_refuses_an_empty_message_t42(self, message: str) -> None:
        """Nothing is stored."""
        with pytest.raises(BadRequest):
            self.send(message=message)

    def test_takes_pictures_without_words(self) -> None:
        picture = {"mediaType": "image/png", "data": "AAAA"}

        assert self.send(message=" ", images=[picture]).images

    @pytest.mark.parametrize("message", ["a\x00b", "half \ud83d"])
    def test_refuses_what_is_no_text_t83_t84(self, message: str) -> None:
        with pytest.raises(BadRequest):
            self.send(message=message)

    def test_refuses_what_is_too_long(self) -> None:
        longest = protocol.MAX_MESSAGE_CHARS
        assert len(self.send(message="x" * longest).message) == longest

        with pytest.raises(TooLarge) as refused:
            self.send(message="x" * (longest + 1))
        assert refused.value.facts == {"limit": longest}

    def test_refuses_too_many_pictures(self) -> None:
        picture = {"mediaType": "image/png", "data": "AAAA"}

        with pytest.raises(TooLarge):
            self.send(images=[picture] * (protocol.MAX_IMAGES + 1))

    @pytest.mark.parametrize("picture", [7, {}, {"mediaType": "image/png"}, {"mediaType": "image/png", "data": "", "x": 1}])  # fmt: skip
    def test_refuses_what_is_no_picture(self, picture: object) -> None:
        with pytest.raises((BadRequest, UnknownField)):
            self.send(images=[picture])

    @pytest.mark.parametrize("name", ["", ".hidden", "a/b", "x" * 129, "c\n", "bulk"])
    def test_refuses_an_id_that_is_none(self, name: str) -> None:
        with pytest.raises(InvalidId):
            self.send(conversationId=name)

    @pytest.mark.parametrize("value", [-1, 2**53, True, 1.0, "2"])
    def test_refuses_a_count_that_is_none(self, value: object) -> None:
        with pytest.raises(BadRequest):
            self.send(truncateAt=value, version=1)

    def test_cuts_only_a_list_it_has_seen(self) -> None:
        """Rule 18."""
        with pytest.raises(BadRequest):
            self.send(truncateAt=2)

    @pytest.mark.parametrize(
        "body",
        [
            {"message": {"token": CANARY}},
            {"images": CANARY},
            {"images": [{"mediaType": [CANARY], "data": "AAAA"}]},
            {"images": [{"mediaType": "image/png", "data": "AAAA", "token": CANARY}]},
            {"conversationId": f"/{CANARY}"},
            {"turnId": f"/{CANARY}"},
            {"agentId": [CANARY]},
            {"truncateAt": CANARY, "version": 1},
            {"version": CANARY},
            {"settings": CANARY},
            {"token": CANARY},
        ],
    )
    def test_names_the_field_and_never_its_value_t110(self, body: dict[str, Any]) -> None:
        with pytest.raises(Refused) as refused:
            self.send(**body)

        said = f"{refused.value.message} {refused.value.facts}"
        assert CANARY not in said
        assert any(name in said for name in (*body, "token", "mediaType", "id"))

    def test_refuses_a_body_that_is_no_object(self) -> None:
        with pytest.raises(BadRequest):
            read_send(Reader([]))


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)


class TestConfirm:
    BODY = {"conversationId": "c-1", "callId": "a1", "digest": "d", "approve": False}

    def test_takes_a_reason_with_a_refusal(self) -> None:
        frame = protocol.read_confirm(Reader({**self.BODY, "reason": " not there \n"}))

        assert frame.reason == "not there"

    @pytest.mark.parametrize("name", ["args", "tool", "decision", "all"])
    def test_brings_nothing_but_the_decision(self, name: str) -> None:
        """What runs is what stands in the row; a client cannot send it along."""
        with pytest.raises(UnknownField):
            protocol.read_confirm(Reader({**self.BODY, name: "x"}))

    @pytest.mark.parametrize("body", [{"approve": True}, {"reason": "\x00"}, {"reason": "\ud800"}])
    def test_takes_no_other(self, body: dict[str, Any]) -> None:
        with pytest.raises(BadRequest):
            protocol.read_confirm(Reader({**self.BODY, "reason": "because", **body}))

    def test_refuses_a_reason_that_is_too_long(self) -> None:
        with pytest.raises(TooLarge):
            protocol.read_confirm(Reader({**self.BODY, "reason": "x" * 2001}))

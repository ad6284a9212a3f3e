"""Events against the golden frames that the page reads: one shape, written down once, held to from both sides."""

import json
from pathlib import Path
from typing import Any

import pytest

from chat import events
from chat.tape import Tape
from chat.watch import begins_anew

CONTRACTS = Path(__file__).parents[1] / "contracts"
ABOUT = {"type", "turnId", "seq", "conversationId"}


def golden(name: str) -> dict[str, Any]:
    frame: dict[str, Any] = json.loads((CONTRACTS / f"{name}.json").read_text())
    return frame


KINDS: dict[str, type[events.Event]] = {kind.type: kind for kind in events.Event.__subclasses__()}


class TestAnEvent:
    @pytest.mark.parametrize("name", sorted(KINDS))
    def test_is_the_golden_frame(self, name: str) -> None:
        """Contract 7: names are exact, nothing more and nothing less."""
        frame = golden(name)
        kind = KINDS[name]
        names = {events.wire_name(field): field for field in kind.__dataclass_fields__}
        values = {names[key]: value for key, value in frame.items() if key not in ABOUT}

        line = events.dump(
            kind(**values),
            turn_id=frame["turnId"],
            seq=frame["seq"],
            conversation_id=frame["conversationId"],
        )

        assert json.loads(line) == frame
        assert "\n" not in line

    @pytest.mark.parametrize("name", ["text_delta", "thinking_delta"])
    def test_of_text_is_the_golden_frame(self, name: str) -> None:
        """Rule 21."""
        frame = golden(name)
        made = Tape(
            turn_pk=1,
            turn_id=frame["turnId"],
            conversation_id="c-7f3a",
            fence=1,
            start=frame["seq"] - 1,
        )

        made.say(name, frame["text"])

        assert json.loads(made.entries[0].line) == frame

    def test_that_begins_anew_is_the_golden_frame(self) -> None:
        frame = golden("restart")

        assert json.loads(begins_anew(frame["turnId"]).line) == frame

    def test_of_every_type_has_a_golden_frame(self) -> None:
        assert {path.stem for path in CONTRACTS.glob("*.json")} >= {*KINDS, "text_delta"}

    def test_keeps_any_text(self) -> None:
        said = events.UserText(text="\u2028 \x01 \N{SNOWMAN} \\u0000", images=[], at=1)

        line = events.dump(said, turn_id="t-1", seq=1, conversation_id="c-1")

        assert json.loads(line)["text"] == said.text

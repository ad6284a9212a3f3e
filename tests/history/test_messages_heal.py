"""What holds for every list, sound or damaged."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings

from history import outcomes
from history.blocks import THINKING, blocks_of, kind, result_text, without_markers
from history.fence import paired
from history.mending import UNREADABLE_IMAGE
from history.messages import (
    Message,
    check,
    faults,
    heal,
    merge_neighbours,
    preview_of,
    text_of,
    title_of,
    transcript,
)
from tests.support.lists import broken_tails, damaged_lists, sound_lists
from tests.support.notation import EXAMPLES, T, U

generated = settings(max_examples=EXAMPLES, deadline=None)
NEXT = U(T("and now?"))


def words_of(messages: list[Message]) -> list[str]:
    """Return what people said, in order, as it can be sent."""
    roles = {"assistant", "system"}
    said = [
        block
        for message in messages
        if message.get("role") not in roles
        for block in _raw_blocks(message)
    ]
    return [
        paired(block["text"])
        for block in said
        if kind(block) == "text" and _is_text(block.get("text"))
    ]


def _raw_blocks(message: Message) -> list[dict[str, Any]]:
    content = message.get("content")
    items = content if isinstance(content, list) else [content]
    return [
        {"type": "text", "text": item} if isinstance(item, str) else item
        for item in items
        if isinstance(item, str | dict)
    ]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def results_of(messages: list[Message]) -> Iterator[dict[str, Any]]:
    for message in messages:
        yield from (block for block in blocks_of(message) if kind(block) == "tool_result")


def meaning(message: Message) -> tuple[Any, list[dict[str, Any]]]:
    return message.get("role"), [without_markers(block) for block in blocks_of(message)]


class TestASoundList:
    @generated
    @given(sound_lists())
    def test_has_no_faults(self, messages: list[Message]) -> None:
        assert faults(messages) == []

    @generated
    @given(sound_lists())
    def test_comes_back_as_the_same_object(self, messages: list[Message]) -> None:
        before = copy.deepcopy(messages)

        healed = heal(messages)

        assert healed.messages is messages
        assert messages == before
        assert (healed.changes, healed.middle) == ([], False)

    @generated
    @given(sound_lists())
    def test_can_be_sent_with_the_next_question(self, messages: list[Message]) -> None:
        assert check(merge_neighbours([*messages, NEXT])) == []


class TestADamagedList:
    @generated
    @given(damaged_lists())
    def test_can_be_sent_once_healed(self, messages: list[Message]) -> None:
        healed = heal(messages).messages

        assert faults(healed) == []
        assert check(merge_neighbours(heal([*healed, NEXT]).messages)) == []

    @generated
    @given(damaged_lists())
    def test_is_healed_in_one_go(self, messages: list[Message]) -> None:
        healed = heal(messages).messages

        assert heal(healed).messages is healed

    @generated
    @given(damaged_lists())
    def test_is_not_touched_itself(self, messages: list[Message]) -> None:
        before = copy.deepcopy(messages)

        heal(messages)

        assert repr(messages) == repr(before)

    @generated
    @given(damaged_lists())
    def test_keeps_every_word_of_a_person(self, messages: list[Message]) -> None:
        expected = words_of(messages)

        healed = words_of(heal(messages).messages)

        assert [word for word in healed if word != UNREADABLE_IMAGE] == [
            w for w in expected if w != UNREADABLE_IMAGE
        ]

    @generated
    @given(damaged_lists())
    def test_gains_no_success(self, messages: list[Message]) -> None:
        given_results = [result for result in results_of(messages) if not result.get("is_error")]
        known = {text for result in given_results for text in result_text(result).split("\n")}

        healed = [
            result for result in results_of(heal(messages).messages) if not result.get("is_error")
        ]

        assert len(healed) <= len(given_results)
        for result in healed:
            told = {paired(text) for text in result_text(result).split("\n")}
            assert told <= {paired(text) for text in known} | {
                outcomes.NO_OUTPUT,
                UNREADABLE_IMAGE,
                '{"v": 1}',
                "",
            }

    @generated
    @given(damaged_lists())
    def test_answers_with_our_sentences_alone(self, messages: list[Message]) -> None:
        known = {result_text(result) for result in results_of(messages)}

        failures = [
            result_text(result)
            for result in results_of(heal(messages).messages)
            if result.get("is_error")
        ]

        for text in failures:
            assert (
                text in known
                or outcomes.is_ours(text)
                or text in {outcomes.NO_OUTPUT, '{"v": 1}', UNREADABLE_IMAGE}
            )

    @generated
    @given(damaged_lists())
    def test_says_what_was_changed(self, messages: list[Message]) -> None:
        healed = heal(messages)

        assert bool(healed.changes) == bool(faults(messages))

    @generated
    @given(damaged_lists())
    def test_keeps_thinking_only_after_an_unchanged_prefix(self, messages: list[Message]) -> None:
        healed = heal(messages)

        for at, message in enumerate(healed.messages if not healed.middle else []):
            for number, block in enumerate(blocks_of(message)):
                if kind(block) in THINKING:
                    now = [*map(meaning, healed.messages[:at]), meaning(message)[1][:number]]
                    was = [*map(meaning, messages[:at]), meaning(messages[at])[1][:number]]
                    assert now == was

    @generated
    @given(damaged_lists())
    def test_can_still_be_read(self, messages: list[Message]) -> None:
        events = transcript(messages, image_url=lambda _: None)

        assert all(event["type"] != "pending" for event in events)
        assert len(title_of(messages)) <= 80
        assert len(preview_of(messages)) <= 160
        assert all(isinstance(text, str) for text in text_of(messages))


class TestABrokenTail:
    @generated
    @given(broken_tails())
    def test_leaves_everything_before_it_alone(
        self, lists: tuple[list[Message], list[Message]]
    ) -> None:
        head, tail = lists

        healed = heal([*head, *tail])

        assert all(new is old for new, old in zip(healed.messages, head, strict=False))
        assert faults(healed.messages) == []
        assert not healed.middle

    @generated
    @given(broken_tails())
    def test_costs_only_the_tail_when_it_is_sent(
        self, lists: tuple[list[Message], list[Message]]
    ) -> None:
        head, tail = lists

        sent = merge_neighbours([*heal([*head, *tail]).messages, NEXT])

        before = merge_neighbours(head)
        assert json.dumps(sent[: len(before)]) == json.dumps(before)

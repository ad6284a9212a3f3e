"""Generated lists of messages: sound ones as a server would have made them, and the same with damage done."""

import copy
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from history.messages import Block, Message, note
from tests.support.notation import IMG, SR, SU, SYS, TH, TR, TU, A, T, U, png

# Drawn from a list and not made up: a property needs many lists, not many words.
_WORDS = st.sampled_from(
    ["open V1", "7 bar", "\x00", "\N{FAMILY}", "a\nb", " x ", "[x](y)", "a\u2028b", "(no output)"]
)
_JSON: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 7, 7.0, "V1", [], {}, {"deep": [{"v": 1}]}, "\x00", 10**20]
)
_PICTURE = IMG(png())


@st.composite
def _questions(draw: st.DrawFn) -> list[Message]:
    words = draw(_WORDS)
    form = draw(st.integers(0, 3))
    if form == 0:
        return [{"role": "user", "content": words}]
    if form == 1:
        return [U(note("agent: workspace"), T(words))]
    if form == 2:
        return [U(T(words), copy.deepcopy(_PICTURE))]
    return [U(T(words)), U(T(draw(_WORDS)))]


@st.composite
def _rounds(draw: st.DrawFn, ids: list[str]) -> list[Message]:
    uses = []
    for _ in range(draw(st.integers(1, 3))):
        ids.append(f"toolu_{len(ids)}")
        uses.append(TU(ids[-1], draw(st.sampled_from(["read_gauge", "set_valve"])), v=draw(_JSON)))
    results = [
        TR(use["id"], draw(_results), **draw(st.sampled_from([{}, {"is_error": False}])))
        for use in uses
    ]
    if draw(st.booleans()):
        results[-1] = TR(uses[-1]["id"], draw(_WORDS), is_error=True)
    return [A(*draw(_thoughts), *draw(_remarks), *uses), U(*results)]


_results = (
    _WORDS
    | _WORDS.map(lambda words: [T(words)])
    | _WORDS.map(lambda words: [T(words), copy.deepcopy(_PICTURE)])
)
_thoughts: st.SearchStrategy[list[Block]] = st.just([]) | st.builds(
    lambda words: [TH(words)], _WORDS | st.just("")
)
_remarks = st.lists(st.builds(T, _WORDS), max_size=1)


@st.composite
def _answers(draw: st.DrawFn, ids: list[str]) -> list[Message]:
    ids.append(f"srvtoolu_{len(ids)}")
    searched = [SU(ids[-1]), SR(ids[-1])] if draw(st.booleans()) else []
    return [A(*draw(_thoughts), *searched, T(draw(_WORDS)))]


@st.composite
def sound_lists(draw: st.DrawFn) -> list[Message]:
    """Return a list without faults that ends anywhere a stored list may end."""
    ids: list[str] = []
    messages: list[Message] = []
    for _ in range(draw(st.integers(1, 3))):
        messages += draw(_questions())
        for _ in range(draw(st.integers(0, 2))):
            messages += draw(_rounds(ids))
        if draw(st.integers(0, 9)) == 0:
            messages.append(SYS("The pump is off."))
            messages += draw(_answers(ids))
        elif draw(st.booleans()):
            messages += draw(_answers(ids))
    return messages


Damage = Callable[[st.DrawFn, list[Message]], None]


def _pick(draw: st.DrawFn, items: list[Any]) -> int:
    return draw(st.integers(0, len(items) - 1))


def _blocks(message: Message) -> list[Block]:
    """Return the blocks of a message, to be changed in place."""
    content: Any = message["content"]
    items: list[Any] = content if isinstance(content, list) else [content]
    items[:] = [
        T(item) if isinstance(item, str) else item for item in items if isinstance(item, str | dict)
    ]
    message["content"] = items
    return items


def _lose_message(draw: st.DrawFn, messages: list[Message]) -> None:
    del messages[_pick(draw, messages)]


def _double_message(draw: st.DrawFn, messages: list[Message]) -> None:
    messages.insert(_pick(draw, messages), copy.deepcopy(messages[_pick(draw, messages)]))


def _move_message(draw: st.DrawFn, messages: list[Message]) -> None:
    messages.insert(_pick(draw, messages), messages.pop(_pick(draw, messages)))


def _cut_list(draw: st.DrawFn, messages: list[Message]) -> None:
    del messages[_pick(draw, messages) + 1 :]


def _lose_block(draw: st.DrawFn, messages: list[Message]) -> None:
    blocks = _blocks(messages[_pick(draw, messages)])
    if blocks:
        del blocks[_pick(draw, blocks)]


def _move_block(draw: st.DrawFn, messages: list[Message]) -> None:
    source, target = (_blocks(messages[_pick(draw, messages)]) for _ in range(2))
    if source:
        target.insert(draw(st.integers(0, len(target))), source.pop(_pick(draw, source)))


def _double_block(draw: st.DrawFn, messages: list[Message]) -> None:
    source, target = (_blocks(messages[_pick(draw, messages)]) for _ in range(2))
    if source:
        target.insert(draw(st.integers(0, len(target))), copy.deepcopy(source[_pick(draw, source)]))


def _spoil_block(draw: st.DrawFn, messages: list[Message]) -> None:
    blocks = _blocks(messages[_pick(draw, messages)])
    if blocks:
        key, value = draw(st.sampled_from(_SPOILS))
        blocks[_pick(draw, blocks)][key] = copy.deepcopy(value)


def _lose_key(draw: st.DrawFn, messages: list[Message]) -> None:
    blocks = [block for block in _blocks(messages[_pick(draw, messages)]) if block]
    if blocks:
        block = blocks[_pick(draw, blocks)]
        del block[draw(st.sampled_from(sorted(block)))]


def _add_junk(draw: st.DrawFn, messages: list[Message]) -> None:
    blocks = _blocks(messages[_pick(draw, messages)])
    blocks.insert(draw(st.integers(0, len(blocks))), copy.deepcopy(draw(st.sampled_from(_JUNK))))


def _spoil_message(draw: st.DrawFn, messages: list[Message]) -> None:
    key, value = draw(st.sampled_from(_MESSAGE_SPOILS))
    messages[_pick(draw, messages)][key] = copy.deepcopy(value)


_SPOILS: list[tuple[str, Any]] = [
    ("text", ""), ("text", " \n"), ("text", "half \ud83d"), ("text", None), ("type", "newer_than_us"), ("type", None),
    ("id", "toolu_0"), ("id", "call 1"), ("id", ""), ("id", 7), ("tool_use_id", "toolu_0"), ("tool_use_id", "gone"),
    ("input", []), ("input", "{"), ("input", {"v": float("nan")}), ("input", {"v": "\udc80"}), ("input", None),
    ("name", "set valve"), ("name", ""), ("name", "x" * 80), ("content", ""), ("content", []), ("content", None),
    ("content", [T(" ")]), ("content", [IMG("AAAA")]), ("content", {"v": 1}), ("content", [TU("toolu_0")]),
    ("is_error", True), ("is_error", "yes"), ("is_error", None), ("signature", ""), ("signature", None), ("thinking", "\ud800"),
    ("cache_control", {"type": "ephemeral"}), ("cache_control", "yes"), ("parsed_output", None), ("caller", None),
    ("citations", [{"type": "char_location"}]), ("toolset_name", "browser"), ("source", {"type": "base64", "data": "%"}),
]  # fmt: skip
_JUNK: list[Block] = [
    {}, {"type": "text"}, {"type": "tool_use"}, {"type": "tool_result"}, {"type": "image"}, {"type": "thinking"},
    T(""), TH("hm", ""), TU("toolu_0"), TU("a b"), TR("toolu_0"), TR("gone"), SU("srvtoolu_x"), SR("srvtoolu_x"),
    {"type": "redacted_thinking", "data": ""}, {"type": "document", "source": {"type": "text", "data": "x"}},
    {"type": "newer_than_us", "value": 1}, {**T("x"), "cache_control": {"type": "ephemeral"}}, IMG(png(), "image/jpeg"),
    {"type": "mcp_tool_use", "id": "m1"}, {"type": "mcp_tool_result", "tool_use_id": "m1"},
]  # fmt: skip
_MESSAGE_SPOILS: list[tuple[str, Any]] = [
    ("role", "assistant"), ("role", "user"), ("role", "system"), ("role", "tool"), ("content", ""), ("content", []),
    ("content", "  "), ("content", None), ("content", ["bare", 7]), ("id", "msg_1"), ("content", "words"),
]  # fmt: skip
_DAMAGES: list[Damage] = [
    _lose_message, _double_message, _move_message, _cut_list, _lose_block, _move_block, _double_block, _spoil_block,
    _lose_key, _add_junk, _spoil_message,
]  # fmt: skip


@st.composite
def damaged_lists(draw: st.DrawFn) -> list[Message]:
    """Return a list that was sound and has suffered one to five accidents; some leave it sound."""
    messages = draw(sound_lists())
    for _ in range(draw(st.integers(1, 5))):
        if messages:
            draw(st.sampled_from(_DAMAGES))(draw, messages)
    return messages


@st.composite
def broken_tails(draw: st.DrawFn) -> tuple[list[Message], list[Message]]:
    """Return (a sound list that ends with a person, messages that follow it and are broken as an accident breaks them)."""
    head = [*draw(sound_lists()), U(T("go on"))]
    uses = [TU("tail_1", v=1), TU("tail_2", v=2)]
    reply = A(*draw(_thoughts), T("I will."), *uses)
    after = draw(
        st.sampled_from(
            [
                [],
                [U(TR("tail_1"))],
                [U(T("wait, stop"))],
                [U(T("wait, stop"), TR("tail_2"))],
                [U(TR("tail_1")), U(TR("tail_2"))],
                [U(TR("tail_1"), TR("tail_1", "late", is_error=True))],
                [U(TR("tail_1", ""), TR("gone"))],
                [SYS("The pump is off."), U(TR("tail_1"))],
            ]
        )
    )
    return head, [reply, *copy.deepcopy(after)]

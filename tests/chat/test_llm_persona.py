"""The demo model does a few things on the real tools, and never passes for Claude."""

from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import pytest

from chat.llm import phrases
from chat.llm.claude import Claude
from chat.llm.demo import demo_model
from history import outcomes
from history.messages import check
from tests.support.demo import PICTURE, TOOLS, Chat, called, fenced, said


@pytest.fixture
async def model() -> AsyncIterator[Claude]:
    numbers = count(1)
    built = demo_model(pace=0, new_id=lambda prefix: f"{prefix}_{next(numbers)}")
    yield built
    await built.aclose()


class TestWishes:
    @pytest.mark.parametrize(
        ("typed", "wanted"),
        [
            ("What is in my workspace?", ("list_files", {})),
            ("list the files in lists/old", ("list_files", {"path": "lists/old"})),
            ("read README.txt", ("read_file", {"path": "README.txt"})),
            ("Please open notes/create.md", ("read_file", {"path": "notes/create.md"})),
            ("read notes/search-me.md", ("read_file", {"path": "notes/search-me.md"})),
            ("Show me welcome.png.", ("read_file", {"path": "welcome.png"})),
            ("show me a picture", ("read_file", {"path": "welcome.png"})),
            ("search approve", ("search_files", {"query": "approve"})),
            ('search for "two words"', ("search_files", {"query": "two words"})),
            ("Search my files for boiler in my workspace.", ("search_files", {"query": "boiler"})),
            ("find boiler in my chats", ("search_history", {"query": "boiler"})),
            (
                "Write a packing list to lists/weekend.txt.",
                ("write_file", {"path": "lists/weekend.txt", "content": phrases.PACKING_LIST}),
            ),
            (
                "create notes/x.md: hello there",
                ("write_file", {"path": "notes/x.md", "content": "hello there\n"}),
            ),
            ("note: buy milk", ("write_file", {"path": "notes/note.md", "content": "buy milk\n"})),
            ("move a.txt to b/c.txt", ("move_file", {"from": "a.txt", "to": "b/c.txt"})),
            ("rename a.txt", ("move_file", {"from": "a.txt", "to": "archive/a.txt"})),
            ("delete notes/tour.md", ("delete_file", {"path": "notes/tour.md"})),
            ("What time is it?", ("current_time", {})),
        ],
    )
    async def test_become_a_call_of_a_real_tool(
        self, model: Claude, typed: str, wanted: tuple[str, dict[str, Any]]
    ) -> None:
        attempt = await Chat(model).say(typed)

        assert called(attempt) == [wanted]

    async def test_for_a_tool_that_is_not_there_are_answered_honestly(self, model: Claude) -> None:
        attempt = await Chat(model, tools=TOOLS[:1]).say("what time is it?")

        assert called(attempt) == []
        assert "`current_time`" in said(attempt)

    @pytest.mark.parametrize(
        "typed",
        [
            "hello",
            "Who are you?",
            "are you Claude?",
            "help",
            "what is the meaning of life",
            "show me some markdown",
            "write something long",
            "give me a tour",
        ],
    )
    async def test_of_every_kind_learn_that_no_claude_is_there(
        self, model: Claude, typed: str
    ) -> None:
        attempt = await Chat(model).say(typed)

        assert "demo model" in said(attempt)
        assert "Claude" in said(attempt) or "fixed text" in said(attempt)

    async def test_with_an_image_learn_that_it_cannot_see(self, model: Claude) -> None:
        image = {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": PICTURE},
        }

        attempt = await Chat(model).say("what do you think?", image)

        assert "1 image" in said(attempt)

    async def test_for_markdown_and_length_are_met(self, model: Claude) -> None:
        chat = Chat(model)

        assert "| Gauge" in said(await chat.say("a table please"))
        assert len(said(await chat.say("something long"))) > 2000


class TestRetelling:
    async def test_repeats_what_came_back_and_nothing_else(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("what is in my workspace?")

        told = await chat.answer(fenced("README.txt  9 bytes\nwelcome.png  5 bytes"))

        assert "- `README.txt  9 bytes`\n- `welcome.png  5 bytes`" in said(told)
        assert "untrusted-output" not in said(told)

    async def test_shortens_a_long_list(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("what is in my workspace?")

        told = await chat.answer(fenced("\n".join(f"{n}.txt" for n in range(1000))))

        assert "and 980 more" in said(told)

    async def test_quotes_what_it_has_no_words_for(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("search boiler")

        assert "a.txt:3: the boiler" in said(await chat.answer(fenced("a.txt:3: the boiler")))

    async def test_cannot_be_broken_out_of_by_a_file(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("read README.txt")

        told = await chat.answer(fenced("```\n# not a heading\n````"))

        assert "`````text\n```\n# not a heading\n````\n`````" in said(told)

    async def test_shortens_a_long_file(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("read README.txt")

        assert "[…]" in said(await chat.answer(fenced("x" * 5000)))

    async def test_points_at_a_picture_it_cannot_see(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("show me welcome.png")
        image = {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": PICTURE},
        }

        told = await chat.answer([{"type": "text", "text": fenced("An image")}, image])

        assert "1 image" in said(told)
        assert "cannot look" in said(told)

    @pytest.mark.parametrize(
        "outcome", [outcomes.DENIED, outcomes.EXPIRED, outcomes.REPEATED, outcomes.STOPPED]
    )
    async def test_accepts_a_refusal_and_does_not_try_again(
        self, model: Claude, outcome: str
    ) -> None:
        chat = Chat(model)
        await chat.say("delete a.txt")

        told = await chat.answer(refused=outcome)

        assert called(told) == []
        assert "did not run" in said(told)

    async def test_says_plainly_that_a_call_failed(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("move a.txt to b.txt")

        told = await chat.answer(refused=fenced("There is no file with that path."))

        assert "did not work" in said(told)
        assert "There is no file with that path." in said(told)

    async def test_tells_of_a_change_that_was_approved(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("delete a.txt")

        assert "with your approval" in said(await chat.answer(fenced("Deleted.")))

    async def test_ends_with_the_next_message(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("delete a.txt")
        await chat.answer(fenced("Deleted."))

        assert called(await chat.say("what time is it?")) == [("current_time", {})]


class TestTour:
    async def test_takes_two_rounds_of_reading_and_one_change(self, model: Claude) -> None:
        chat = Chat(model)

        rounds = [
            called(await chat.say("give me a tour")),
            called(await chat.answer(fenced("README.txt"))),
            called(await chat.answer(fenced("This is"), fenced("An image"))),
            called(await chat.answer(fenced("Written."))),
        ]

        assert [[name for name, _ in calls] for calls in rounds] == [
            ["list_files"],
            ["read_file", "read_file"],
            ["write_file"],
            [],
        ]
        assert check([*chat.messages, {"role": "user", "content": "thanks"}]) == []

    async def test_ends_at_a_refusal(self, model: Claude) -> None:
        chat = Chat(model)
        await chat.say("give me a tour")
        await chat.answer(fenced("README.txt"))
        await chat.answer(fenced("This is"), fenced("An image"))

        told = await chat.answer(refused=outcomes.DENIED)

        assert called(told) == []
        assert "nothing is changed without your yes" in said(told)

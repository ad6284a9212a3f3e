import random
import time
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from history.markdown import tree
from history.markdown.code import LONGEST, LONGEST_OPEN, Node
from history.markdown.stream import Growing
from tests.support.documents import MATH, PIECES, cuts, documents, grown
from tests.support.notation import EXAMPLES, LONG


def flat(nodes: list[Node]) -> list[Node]:
    """Return nodes without colours and links, which the open rest gets when it closes."""
    result: list[Any] = []
    for node in nodes:
        bare = node if isinstance(node, str) else [*node[:2], *flat(node[2:])]
        inner = bare[2:] if isinstance(bare, list) and bare[0] in {"span", "a"} else [bare]
        for item in inner:
            if isinstance(item, str) and result and isinstance(result[-1], str):
                result[-1] += item
            else:
                result.append(item)
    return result


class TestGrowing:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(documents, cuts)
    def test_shows_at_every_tick_what_a_full_render_would(
        self, source: str, sizes: list[int]
    ) -> None:
        if "]:" in source:
            return  # a definition may come late; `end` mends that

        for prefix, closed, rest in grown(source, sizes):
            whole = tree.render(prefix)
            assert closed == whole[: len(closed)], prefix
            assert flat(rest) == flat(whole[len(closed) :]), prefix

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(
        st.lists(
            st.sampled_from([*PIECES, "[x]: /u\n", "[x]: http://e.com 'a\n", "b'\n", "]:"]),
            max_size=25,
        ).map("".join),
        cuts,
    )
    def test_ends_with_the_full_render(self, source: str, sizes: list[int]) -> None:
        growing, shown, at, n = Growing(), [], 0, 0
        while at < len(source):
            growing.feed(source[at : at + sizes[n % len(sizes)]])
            at += sizes[n % len(sizes)]
            n += 1
            shown += growing.tick()[0]

        shown += growing.close()
        whole = growing.end()

        assert (shown if whole is None else whole) == tree.render(source)

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(documents, cuts, cuts)
    def test_closes_the_same_blocks_whenever_it_is_asked(
        self, source: str, some: list[int], others: list[int]
    ) -> None:
        if "]:" in source:
            return

        longer, shorter = sorted(
            (_closed(source, some), _closed(source, others)), key=len, reverse=True
        )

        assert longer == shorter

    def test_replaces_all_when_a_definition_comes_late(self) -> None:
        growing = Growing()
        growing.feed("See [the manual][m].\n\nMore.\n\n")
        early = growing.tick()[0]

        growing.feed("[m]: https://example.org/manual\n\nEnd.")
        shown = [*early, *growing.tick()[0], *growing.close()]

        assert early == [["p", None, "See [the manual][m]."]]
        assert growing.end() == tree.render(
            "See [the manual](https://example.org/manual).\n\nMore.\n\nEnd."
        )
        assert growing.end() != shown

    def test_uses_a_definition_that_came_before(self) -> None:
        growing = Growing()
        growing.feed("[m]: https://example.org\n\nFirst.\n\nSee [m].\n\nLast.")

        shown = [*growing.tick()[0], *growing.close()]

        assert growing.end() is None
        assert shown == tree.render("First.\n\nSee [m](https://example.org).\n\nLast.")

    def test_sends_a_closed_block_once(self) -> None:
        growing = Growing()
        growing.feed("One.\n\nTwo.\n\n")

        first, again = growing.tick(), growing.tick()

        assert first == ([["p", None, "One."]], [["p", None, "Two."]])
        assert again == ([], [["p", None, "Two."]])

    @pytest.mark.parametrize(
        ("begin", "more"),
        [
            ("#x\n```", "# h```"),  # no fence: its info string holds backticks
            ("|# h\n--", "# h"),  # no table: its delimiter line goes on
            ("```|\n--", "--\n"),  # no fence but a table
            ("a\n-", "--\n"),  # a heading, not a rule
            ("x\r", "\ny"),  # one line end in two pieces
            ("x\n$$", "y$$ z"),  # no formula on lines of its own
            ("$$\n- x", "\n$$\n"),  # a formula, no list
            ("$x", "$"),
        ],
    )
    def test_waits_until_a_beginning_is_certain(self, begin: str, more: str) -> None:
        growing = Growing()
        growing.feed(begin)
        before = growing.tick()[0]

        growing.feed(more)
        closed, rest = growing.tick()

        assert [*before, *closed, *rest] == tree.render(begin + more)

    def test_leaves_links_out_of_the_open_rest(self) -> None:
        growing = Growing()
        growing.feed("see https://example.org/a")

        open_rest = growing.tick()[1]

        assert open_rest == [["p", None, "see https://example.org/a"]]
        assert growing.close() == tree.render("see https://example.org/a")

    def test_leaves_colours_out_of_long_open_code(self) -> None:
        source = "```python\n" + "x = 1\n" * (LONGEST_OPEN // 6 + 1)
        growing = Growing()
        growing.feed(source)

        open_rest = growing.tick()[1]

        assert LONGEST_OPEN < len(source) < LONGEST
        assert open_rest == flat(tree.render(source))
        assert growing.close() == tree.render(source)

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(documents, cuts, st.integers(1, 40))
    def test_goes_on_as_plain_text_beyond_the_cap(
        self, source: str, sizes: list[int], cap: int
    ) -> None:
        if "]:" in source:
            return

        with mock.patch.object(tree, "CAP", cap):
            for prefix, closed, rest in grown(source, sizes):
                whole = tree.render(prefix)
                assert closed == whole[: len(closed)], prefix
                assert flat(rest) == flat(whole[len(closed) :]), prefix

    def test_closes_what_came_beyond_the_cap(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tree, "CAP", 20)
        source = "word\n\n" * 9
        growing = Growing()
        growing.feed(source)

        closed, rest = growing.tick()

        assert rest == [["p", {"class": "plain"}, "word\n\n" * 6]]
        assert growing.close() == rest
        assert [*closed, *rest] == tree.render(source)

    def test_costs_as_much_for_small_pieces_as_a_render(self) -> None:
        source = "Some *words* in a line.\n\n" * 4_000
        growing = Growing()
        begun = time.process_time()

        for at in range(0, len(source), 10):
            growing.feed(source[at : at + 10])
        growing.tick()

        assert time.process_time() - begun < 5


def _closed(source: str, sizes: list[int]) -> list[Node]:
    growing, at, n, closed = Growing(), 0, 0, []
    while at < len(source):
        growing.feed(source[at : at + sizes[n % len(sizes)]])
        at += sizes[n % len(sizes)]
        n += 1
        closed += growing.tick()[0]
    return [*closed, *growing.close()]


@pytest.mark.long
@pytest.mark.skipif(not LONG, reason="a soak: set KENNY_LONG=1")
class TestALongRun:
    def test_agrees_on_sixty_thousand_documents(self) -> None:
        chance = random.Random(7)
        for _ in range(60_000):
            source = "".join(chance.choices([*PIECES, *MATH], k=chance.randint(1, 30)))
            sizes = [chance.randint(1, 9) for _ in range(7)]
            for prefix, closed, rest in grown(source, sizes) if "]:" not in source else ():
                whole = tree.render(prefix)
                assert closed == whole[: len(closed)], prefix
                assert flat(rest) == flat(whole[len(closed) :]), prefix

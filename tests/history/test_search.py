"""Full text: what is found, how it is shown, and that the index follows every write."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from history.models import SearchText
from tests.history.conftest import Api, said


@pytest.fixture
def search(api: Api) -> Callable[[str], list[dict[str, Any]]]:
    """Return a search of alice's conversations that gives the rows."""

    def ask(query: str) -> list[dict[str, Any]]:
        answer = api.client.get("/api/conversations", {"q": query})
        assert answer.status_code == 200
        rows: list[dict[str, Any]] = answer.json()["conversations"]
        return rows

    return ask


Search = Callable[[str], list[dict[str, Any]]]


def hits(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


class TestSearch:
    def test_finds_words_of_titles_messages_calls_and_results(
        self, api: Api, search: Search
    ) -> None:
        call = {
            "type": "tool_use",
            "id": "t",
            "name": "read_file",
            "input": {"path": "notes/zeppelin.md"},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [{"type": "text", "text": "the valve"}],
        }
        messages = [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Done and dusted"},
        ]
        api.put("c-1", title="Airship maintenance", messages=messages)
        api.put("c-2", title="Other", messages=said("nothing of it"))

        for query in (
            "airship",
            "ZEPPELIN",
            "valve",
            "dusted",
            "airship valve",
            "zepp",
            "notes/zeppelin.md",
        ):
            assert hits(search(query)) == ["c-1"], query
        assert search("airship submarine") == []
        assert search("epp") == []
        assert search("valve maint") != []
        assert search("valv maintenance") == []

    def test_answers_in_the_shape_of_a_list(self, api: Api) -> None:
        api.put("c-1", messages=said("needle"))
        api.delete("c-2")

        answer = api.list("?q=needle").body

        listed = api.list().body
        assert list(answer) == list(listed)
        assert (answer["deleted"], answer["cursor"]) == ([], listed["cursor"])
        hit = dict(answer["conversations"][0])
        assert hit.pop("snippet") in ([["needle", True]], [["re ", False], ["needle", True]])
        assert hit == listed["conversations"][0]

    def test_is_the_owners_alone(self, api: Api, stranger: Api, search: Search) -> None:
        api.put("c-1", messages=said("zeppelin"))
        stranger.put("c-9", messages=said("zeppelin zeppelin"))

        assert hits(search("zeppelin")) == ["c-1"]

    def test_ranks_a_title_before_a_mention(self, api: Api, search: Search) -> None:
        api.put(
            "mention",
            title="Other",
            messages=said("long words about this and that and zeppelin and more " * 5),
        )
        api.put("title", title="Zeppelin", messages=said("something else"))

        assert hits(search("zeppelin")) == ["title", "mention"]

    def test_reads_phrases_accents_and_scripts_without_spaces(
        self, api: Api, search: Search
    ) -> None:
        api.put("c-1", messages=said("Crème brûlée für Jürgen, й и が か"))
        api.put("c-2", messages=said("我喜欢编程语言。한국어"))

        assert (
            hits(search("creme brulee"))
            == hits(search("Crème"))
            == hits(search("jurgen"))
            == ["c-1"]
        )
        assert hits(search('"für jürgen"')) == ["c-1"]
        assert search('"jürgen für"') == []
        assert hits(search("编程")) == hits(search("喜欢")) == hits(search("한국")) == ["c-2"]
        assert search("程编") == []

    @pytest.mark.parametrize(
        "query",
        [
            "'",
            '"',
            "*",
            "a*",
            "NEAR(",
            "a AND",
            "-a",
            "a:b",
            "^a",
            "(",
            "\x00",
            "\\",
            "%",
            "!!!",
            "🎉",
            "a" * 5000,
        ],
    )
    def test_takes_any_query_as_words(self, api: Api, search: Search, query: str) -> None:
        api.put("c-1")

        assert isinstance(search(query), list)

    def test_comes_in_pages(self, api: Api) -> None:
        for number in range(5):
            api.put(f"c-{number}", messages=said("needle"))

        seen: list[str] = []
        page: dict[str, Any] = {"next": ""}
        while page["next"] is not None:
            page = api.list(f"?q=needle&limit=2&next={page['next']}").body
            seen += hits(page["conversations"])

        assert len(seen) == len(set(seen)) == 5


class TestInStep:
    def test_follows_renames_rewrites_and_deletes(self, api: Api, search: Search) -> None:
        api.put("c-1", title="alpha", messages=said("beta"))
        api("PATCH", "conversations/c-1", {"title": "gamma"})
        api("PUT", "conversations/c-1", {"messages": said("delta")})

        assert [hits(search(word)) for word in ("alpha", "beta", "gamma", "delta")] == [
            [],
            [],
            ["c-1"],
            ["c-1"],
        ]
        api.delete("c-1")
        assert search("gamma") == search("delta") == []
        assert not SearchText.objects.exists()

    def test_writes_only_the_rows_of_new_messages(self, api: Api) -> None:
        api.put("c-1", messages=said("one"))
        before = dict(SearchText.objects.filter(n__gte=0).values_list("n", "pk"))

        api.put("c-1", messages=[*said("one"), *said("two")])

        after = dict(SearchText.objects.filter(n__gte=0).values_list("n", "pk"))
        assert list(after) == [0, 1, 2, 3]
        assert {n: after[n] for n in before} == before

    def test_indexes_a_text_of_any_length(self, api: Api, search: Search) -> None:
        long = (
            " ".join(f"word{number}" for number in range(60_000)) + " needle \x00 " + "x" * 40_000
        )

        api.put("c-1", messages=said(long))

        assert (
            hits(search("needle")) == hits(search("word0")) == hits(search("word59999")) == ["c-1"]
        )

    def test_can_be_rebuilt_from_the_conversations(self, api: Api, search: Search) -> None:
        api.put("c-1", title="alpha", messages=said("beta"))
        api.put("c-2", messages=said("dead"))
        api.delete("c-2")
        SearchText.objects.all().delete()
        assert search("alpha") == []

        call_command("rebuild_search", stdout=StringIO())
        out = StringIO()
        call_command("rebuild_search", stdout=out)

        assert out.getvalue() == "1 conversation indexed.\n"
        assert hits(search("alpha")) == hits(search("beta")) == ["c-1"]

    def test_agrees_with_its_table(self, api: Api) -> None:
        for number in range(4):
            api.put("c-1", messages=said(f"text {number}"))
        api.delete("c-1")
        api.put("c-2")

        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                # Raises when index and table differ; rank 1 compares with the table's text too.
                cursor.execute(
                    "INSERT INTO history_searchindex(history_searchindex, rank) VALUES ('integrity-check', 1)"
                )
        assert SearchText.objects.exists()

"""Section 6: a stored conversation as the events of a live stream."""

from tests.contract.place import Caller
from tests.contract.saying import code, delete, put

STORED = [
    {"role": "user", "content": "Look **around**"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "list_files", "input": {"path": "a"}},
            {"type": "tool_use", "id": "toolu_2", "name": "list_files", "input": {"path": "b"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": "second"},
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no", "is_error": True},
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "There."}]},
]


class TestReplay:
    def test_pairs_calls_and_results_by_id(self, me: Caller, cid: str) -> None:
        put(me, cid, {"title": "T", "agentId": "workspace", "messages": STORED})

        replay = me.get(f"/api/chat/history/{cid}").json

        assert [event["type"] for event in replay["transcript"]] == [
            "user_text", "thinking_delta", "text_delta", "tool_call", "tool_call", "tool_result", "tool_result",
            "text_delta",
        ]  # fmt: skip
        results = [event for event in replay["transcript"] if event["type"] == "tool_result"]
        assert [(r["callId"], r["args"], r["ok"]) for r in results] == [
            ("toolu_2", {"path": "b"}, True),
            ("toolu_1", {"path": "a"}, False),
        ]
        assert {name: replay[name] for name in ("id", "title", "agentId", "version")} == {
            "id": cid, "title": "T", "agentId": "workspace", "version": 1,
        }  # fmt: skip

    def test_renders_text_as_a_tree_when_asked(self, me: Caller, cid: str) -> None:
        put(me, cid, {"messages": STORED})

        plain = me.get(f"/api/chat/history/{cid}").json["transcript"]
        trees = me.get(f"/api/chat/history/{cid}?render=tree").json["transcript"]

        assert all("nodes" not in event for event in plain)
        assert [event for event in trees if ("text" in event and "nodes" in event)] != []
        assert "strong" in str(trees[0]["nodes"])
        assert me.get(f"/api/chat/history/{cid}?render=html").status == 400

    def test_never_shows_a_held_call_of_a_list_that_ends_in_one(self, me: Caller, cid: str) -> None:
        put(me, cid, {"messages": STORED[:2]})

        replay = me.get(f"/api/chat/history/{cid}").json["transcript"]

        assert "pending" not in {event["type"] for event in replay}

    def test_of_what_is_not_there_is_404_and_of_the_dead_410(self, me: Caller, cid: str) -> None:
        unknown = me.get(f"/api/chat/history/{cid}")
        delete(me, cid)

        assert code(unknown) == (404, "not_found")
        assert code(me.get(f"/api/chat/history/{cid}")) == (410, "deleted")

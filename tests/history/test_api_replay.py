"""`/api/chat/history`: a stored conversation as the events of a stream."""

import base64
import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.history.conftest import Api, picture, said
from tests.history.test_blobs import shot, source

Told = Callable[..., None]


def story(images: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a turn with a tool call whose result shows `images`."""
    use = {"type": "tool_use", "id": "t-1", "name": "shot", "input": {"b": 1, "a": 2}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t-1",
        "content": [*images, {"type": "text", "text": "seen"}],
    }
    return [
        {"role": "user", "content": "**look**"},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, use],
        },
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "ok"}]},
    ]


class TestReplay:
    def test_pairs_calls_with_results_and_names_images(self, api: Api) -> None:
        large, small = picture(), picture(size=9)
        api.put(
            "c-1",
            agentId="workspace",
            messages=story([shot(large), shot(small), {**shot(b""), "source": source("%%")}]),
        )

        answer = api("GET", "chat/history/c-1").body

        events = answer.pop("transcript")
        stored = api.get("c-1").body
        assert answer == {
            name: stored[name] for name in ("id", "title", "agentId", "updatedAt", "version")
        }
        assert [event["type"] for event in events] == [
            "user_text",
            "thinking_delta",
            "tool_call",
            "tool_result",
            "text_delta",
        ]
        assert list(events[2]["args"].items()) == [("b", 1), ("a", 2)]
        assert (events[3]["callId"], events[3]["tool"], events[3]["text"]) == (
            "t-1",
            "shot",
            "seen",
        )
        first, second, unreadable = events[3]["images"]
        assert [first["url"], second["url"]] == [
            f"/api/conversations/c-1/images/{hashlib.sha256(data).hexdigest()}"
            for data in (large, small)
        ]
        assert (first["mediaType"], first["width"], first["height"]) == ("image/png", 8, 6)
        assert unreadable is None

    def test_of_what_only_looks_like_an_image_names_none(self, api: Api) -> None:
        text = base64.b64encode(b"no image " * 1000).decode()
        own = {"type": "image", "source": source({"$blob": hashlib.sha256(picture()).hexdigest()})}
        api.put("c-1", messages=story([{"type": "image", "source": source(text)}, own]))

        events = api("GET", "chat/history/c-1").body["transcript"]

        assert events[3]["images"] == [None, None]

    def test_adds_trees_on_request(self, api: Api) -> None:
        api.put("c-1", messages=story([]))

        plain = api("GET", "chat/history/c-1").body["transcript"]
        trees = api("GET", "chat/history/c-1?render=tree").body["transcript"]

        assert [{k: v for k, v in event.items() if k != "nodes"} for event in trees] == plain
        assert trees[0]["nodes"] == [["p", None, ["strong", None, "look"]]]
        assert ["nodes" in event for event in trees] == [True, True, False, False, True]
        assert api("GET", "chat/history/c-1?render=html").status_code == 400

    def test_tells_unknown_deleted_and_foreign_apart_as_everywhere(
        self, api: Api, stranger: Api, told: Told
    ) -> None:
        api.put("c-1")
        api.delete("c-2")

        told(api("GET", "chat/history/none"), 404, "not_found")
        told(api("GET", "chat/history/c-2"), 410, "deleted", version=1)
        told(api("GET", "chat/history/a/b"), 400, "invalid_id")
        assert (
            stranger("GET", "chat/history/c-1").content
            == stranger("GET", "chat/history/none").content
        )

    @pytest.mark.parametrize(
        "messages",
        [
            [],
            said("x")[1:],
            [{"role": "assistant", "content": [{"type": "tool_use"}]}],
            [
                {
                    "role": "user",
                    "content": [{"type": "tool_result"}, {"type": "image"}, {"type": "new thing"}],
                }
            ],
            [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": 7}, {"type": "image", "source": []}],
                }
            ],
        ],
    )
    def test_takes_any_list_that_may_be_stored(
        self, api: Api, messages: list[dict[str, Any]]
    ) -> None:
        assert api.put("c-1", messages=messages).status_code == 201

        assert api("GET", "chat/history/c-1?render=tree").status_code == 200
        assert api.get("c-1").body["messages"] == messages

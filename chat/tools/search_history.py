"""search_history: which of the person's own conversations speak of something."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from chat.tools.base import Caller, Output, Tier, Tool, ToolFailed
from history import feed, search
from history.query import terms_of

MAX_HITS = 20


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    if not terms_of(args["query"]):
        raise ToolFailed("`query` needs at least one word.")
    state = feed.state_of(caller.user_id)
    found = search.find(state, query=args["query"], limit=MAX_HITS, next_page=None)
    hits = [_hit(hit, here=caller.conversation_id) for hit in found["conversations"]]
    if found["next"]:
        hits.append(f"[… more than {MAX_HITS} conversations; look for something rarer …]")
    return Output(text="\n\n".join(hits) or "(no conversation holds these words)")


def _hit(hit: Mapping[str, Any], *, here: str) -> str:
    when = datetime.fromtimestamp(hit["updatedAt"] // 1000, tz=UTC)
    this = ", this very conversation" if hit["id"] == here else ""
    words = "".join(piece for piece, _ in hit["snippet"])
    return f"{hit['title'] or 'Untitled'}\nid {hit['id']}, last used {when:%Y-%m-%d}{this}\n{words}"


SEARCH_HISTORY = Tool(
    name="search_history",
    description=(
        "Search this person's own earlier conversations with Claude, titles and everything said, tool results included. "
        "All words must occur somewhere in a conversation; put a phrase in double quotes. Answers with title, id, date "
        "and the words around the best hit; read_conversation takes the id."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words, or a phrase in double quotes."}
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    run=_run,
    tier=Tier.READ_ONLY,
)

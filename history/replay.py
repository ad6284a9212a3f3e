"""`/api/chat/history`: a stored conversation as the events a live stream would have sent."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from history import store
from history.attachments import pictures
from history.blobs import image_url
from history.errors import BadRequest
from history.facts import by_place, spread
from history.markdown.tree import render
from history.messages import transcript
from history.models import Conversation
from history.operations import operation
from history.requests import owner_of
from history.serializers import check_id
from history.views import HistoryView, buried, listed

TEXTS = frozenset({"user_text", "text_delta", "thinking_delta"})


class HistoryList(HistoryView):
    """The same list as /api/conversations."""

    @operation("list_history")
    def get(self, request: Request) -> Response:
        """List conversations as /api/conversations does."""
        return listed(request)


class HistoryOne(HistoryView):
    """The transcript of one conversation."""

    @operation("replay_conversation")
    def get(self, request: Request, cid: str) -> Response:
        """Replay a conversation; with `render=tree` each text also comes as a Markdown tree."""
        wanted = request.query_params.get("render")
        if wanted not in {None, "tree"}:
            raise BadRequest("render can only be tree.")
        row = store.find(owner_id=owner_of(request), cid=check_id(cid))
        events = events_of(row)
        if wanted:
            events = [with_nodes(event) for event in events]
        return Response(
            {
                "id": row.cid,
                "title": row.title,
                "agentId": row.agent_id,
                "updatedAt": row.updated_at,
                "version": row.version,
                "transcript": events,
            }
        )

    @operation("delete_history")
    def delete(self, request: Request, cid: str) -> Response:
        """Delete a conversation as /api/conversations/{id} does."""
        return buried(request, cid)


def events_of(row: Conversation) -> list[dict[str, Any]]:
    """Return a conversation's transcript; images stay where they are and are named by their addresses."""
    events = transcript(
        row.messages,
        image_url=image_url(row.cid, pictures(row)),
        agent_id=row.agent_id,
        facts=by_place(row.facts),
    )
    spread(events)
    return events


def with_nodes(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event of text with its Markdown tree beside it."""
    return {**event, "nodes": render(event["text"])} if event["type"] in TEXTS else event

"""REST over the conversations of one account. Each method reads, calls the store or the feed once, and answers."""

import hashlib
import secrets
from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from history import feed, search, store
from history.attachments import image
from history.blobs import find_inline
from history.clock import now_ms
from history.errors import BadRequest, NotFound
from history.json_body import IgnoreAccept, JSONRenderer, StrictJSONParser
from history.operations import operation
from history.pictures import sniff
from history.requests import body_of, conditions_of, is_fresh, owner_of, wish_of
from history.sent import Sent
from history.serializers import check_id, check_object, read_patch, read_save, summary_of, tombstone


class HistoryView(APIView):
    """JSON in, JSON out, never cached by anybody but the client itself."""

    parser_classes = (StrictJSONParser,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = IgnoreAccept

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response


class Conversations(HistoryView):
    """The whole set: list, delta, search, save under a new id, delete all."""

    @operation("list_conversations")
    def get(self, request: Request) -> Response:
        """List conversations: complete, from a cursor on, or ranked by words."""
        return listed(request)

    @operation("save_new_conversation")
    def post(self, request: Request) -> Response:
        """Save a conversation; without an id the server makes one."""
        values = body_of(request)
        cid = check_id(values.get("id", f"c-{secrets.token_hex(12)}"))
        return _save(request, cid=cid, sent=read_save(values))

    @operation("delete_all_conversations")
    def delete(self, request: Request) -> Response:
        """Delete all conversations, or those created up to the cursor `before`."""
        before = request.query_params.get("before")
        buried = store.bury_all(owner_id=owner_of(request), now=now_ms(), before=before)
        return Response({"count": buried.count, "cursor": buried.cursor})


class Bulk(HistoryView):
    """The whole set, replaced."""

    @operation("replace_conversations")
    def put(self, request: Request) -> Response:
        """Store these conversations and delete the others."""
        listed = body_of(request).get("conversations")
        if not isinstance(listed, list):
            raise BadRequest("conversations must be a list.")
        bodies = [check_object(item) for item in listed]
        items = [(check_id(values.get("id")), read_save(values)) for values in bodies]
        if len({cid for cid, _ in items}) != len(items):
            raise BadRequest("An id stands twice among the conversations.")
        done = store.replace_all(owner_id=owner_of(request), items=items, now=now_ms())
        return Response({"count": done.count, "skipped": done.skipped, "busy": done.busy})


class OneConversation(HistoryView):
    """One conversation."""

    @operation("read_conversation")
    def get(self, request: Request, cid: str) -> Response:
        """Read a conversation with its messages."""
        row = store.find(owner_id=owner_of(request), cid=check_id(cid))
        # A turn that runs shows in `live` but is no write, so an answer that tells of one is not held back.
        if row.live is None and is_fresh(request, row.etag):
            return Response(status=304, headers={"ETag": row.etag})
        messages = store.full_messages(row)
        return Response({**summary_of(row), "messages": messages}, headers={"ETag": row.etag})

    @operation("save_conversation")
    def put(self, request: Request, cid: str) -> Response:
        """Save a conversation; what is left out keeps its stored value."""
        values = body_of(request)
        if values.get("id", check_id(cid)) != cid:
            raise BadRequest("The id in the body is not the one in the address.")
        return _save(request, cid=cid, sent=read_save(values))

    @operation("change_conversation")
    def patch(self, request: Request, cid: str) -> Response:
        """Change title, marks, settings or agent, also while a turn runs."""
        row = store.patch(
            owner_id=owner_of(request),
            cid=check_id(cid),
            sent=read_patch(body_of(request)),
            now=now_ms(),
            conditions=conditions_of(request),
        )
        return Response(summary_of(row), headers={"ETag": row.etag})

    @operation("delete_conversation")
    def delete(self, request: Request, cid: str) -> Response:
        """Delete a conversation for good; its id stays taken."""
        return buried(request, cid)


class Image(HistoryView):
    """An image of a conversation."""

    @operation("read_image")
    def get(self, request: Request, cid: str, sha256: str) -> HttpResponse:
        """Send the image as it was stored: to its owner only, and for good under this address."""
        row = store.find_head(owner_id=owner_of(request), cid=check_id(cid))
        data = image(row, sha256=sha256)
        if data is None:
            data = find_inline(row.messages, sha256=sha256)
        if data is None:
            raise NotFound
        picture = sniff(data)
        return HttpResponse(
            data,
            content_type=picture.media_type if picture else "application/octet-stream",
            headers={
                "Cache-Control": "private, max-age=31536000, immutable",
                "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy": "default-src 'none'; sandbox",
            },
        )


def listed(request: Request) -> Response:
    """Answer a list, a delta or a search, or that nothing has changed."""
    state = feed.state_of(owner_of(request))
    wish = wish_of(request)
    etag = _list_etag(request, state)
    if is_fresh(request, etag):
        return Response(status=304, headers={"ETag": etag})
    words = request.query_params.get("q", "").strip()
    if words:
        found = search.find(state, query=words, limit=wish.limit, next_page=wish.next)
        return Response(found, headers={"ETag": etag})
    return Response(feed.pull(state, wish), headers={"ETag": etag})


def buried(request: Request, cid: str) -> Response:
    """Delete a conversation and answer with its tombstone."""
    row = store.bury(
        owner_id=owner_of(request),
        cid=check_id(cid),
        now=now_ms(),
        conditions=conditions_of(request),
    )
    return Response(tombstone(row))


def _save(request: Request, *, cid: str, sent: Sent) -> Response:
    saved = store.save(
        owner_id=owner_of(request),
        cid=cid,
        sent=sent,
        now=now_ms(),
        conditions=conditions_of(request),
    )
    status = 201 if saved.created else 200
    return Response(summary_of(saved.row), status=status, headers={"ETag": saved.row.etag})


def _list_etag(request: Request, state: store.SyncState) -> str:
    """Return a weak tag of the account's state and of what was asked of it."""
    asked = hashlib.sha256(request.META.get("QUERY_STRING", "").encode()).hexdigest()[:8]
    return f'W/"{state.epoch}.{state.last_seq}.{asked}"'

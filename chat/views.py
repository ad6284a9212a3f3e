"""The REST edge of a turn: a body comes in, one call into the desk, JSON or a stream goes out."""

from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat import admit, desk, offer, preferences, protocol, runner, sse, successor, turns
from chat.reader import Reader
from chat.tools import registry
from chat.turns import Started
from history.errors import BadRequest


def _person(request: Request) -> int:
    """Return the id of who asks; permissions let nobody in who has none."""
    user_id = request.user.pk
    assert user_id is not None
    return user_id


def _streamed(request: Request, found: Started) -> HttpResponseBase:
    """Return the turn's events as a stream that ends when the caller may not see it any more."""
    streamed: HttpResponseBase = sse.response(
        found.turn,
        after=found.after,
        user_id=_person(request),
        session_key=request.session.session_key if request.auth is None else None,
        token_key=getattr(request.auth, "token_key", None),
    )
    return streamed


class StreamView(APIView):
    """Send a message and watch what follows from it."""

    throttle_scope = "send"

    def post(self, request: Request) -> HttpResponseBase:
        frame = protocol.read_send(Reader(request.data))
        return _streamed(request, desk.send(frame, owner_id=_person(request)))


class ConfirmStreamView(APIView):
    """Decide a held call and watch what follows from it."""

    def post(self, request: Request) -> HttpResponseBase:
        frame = protocol.read_confirm(Reader(request.data))
        return _streamed(request, desk.confirm(frame, owner_id=_person(request)))


class TurnEventsView(APIView):
    """Watch a turn from where one left off."""

    def get(self, request: Request, turn_id: str) -> HttpResponseBase:
        turn = turns.watched(turn_id, owner_id=_person(request))
        after = _last_event_id(request)
        return _streamed(
            request,
            Started(turn=turn, conversation_id=turn.conversation.cid, after=after, fresh=False),
        )


class StopView(APIView):
    """End a turn."""

    def post(self, request: Request, turn_id: str) -> Response:
        stopping = desk.stop(turn_id, owner_id=_person(request))
        return Response(
            {"turnId": stopping.turn.turn_id, "conversationId": stopping.turn.conversation.cid}
        )


class PendingView(APIView):
    """What waits for the person, in all conversations."""

    def get(self, request: Request) -> Response:
        pending: list[dict[str, Any]] = desk.pending(owner_id=_person(request))
        return Response({"pending": pending})


class ModelsView(APIView):
    """Which models, efforts and agents a conversation may choose."""

    def get(self, request: Request) -> Response:
        del request
        listed = runner.the_runner().ask_for_models()
        rules = admit.rules()
        return Response(
            {
                "models": offer.offered(listed=listed, rules=rules),
                "default": offer.default(listed=listed, rules=rules),
                "agents": registry.offered(),
            }
        )


class PreferencesView(APIView):
    """What the person prefers on every device."""

    def get(self, request: Request) -> Response:
        return Response(preferences.of(_person(request)))

    def patch(self, request: Request) -> Response:
        listed = runner.the_runner().ask_for_models()
        changes = preferences.read(request.data, listed=listed)
        return Response(preferences.change(_person(request), changes))


class HandoverView(APIView):
    """Go on in a new conversation when one has grown too long."""

    throttle_scope = "send"

    def post(self, request: Request) -> Response:
        conversation_id = protocol.read_handover(Reader(request.data))
        made = successor.begin(
            conversation_id, owner_id=_person(request), running=runner.the_runner()
        )
        body = {"conversationId": made.conversation_id, "title": made.title, "by": made.by}
        return Response(body, status=201)


def _last_event_id(request: Request) -> int:
    value = request.headers.get("Last-Event-ID", "0")
    if not (value.isascii() and value.isdigit() and len(value) < 16):
        raise BadRequest("Last-Event-ID must be the number of an event.")
    return int(value)

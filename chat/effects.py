"""Running one call: the arguments come from its row, are hashed again, and what comes back is made safe to keep."""

import base64
import json
import logging
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError

from chat import gate, images, rights
from chat.failpoints import hit
from chat.models import ToolCall
from chat.tools.base import Caller, Image, Output, ToolFailed
from history.clock import now_ms
from history.fence import capped, clean

logger = logging.getLogger(__name__)

LONGEST_TEXT = 100_000
NO_TOOL = "This tool is not available any more. The call was not run."
CHANGED = "The call is not what was shown and approved. It was not run."
BROKEN = (
    "The tool failed for a reason of its own. It may have had an effect: look before you repeat it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a call came to, as `ToolCall.result` keeps it: `text`, `images` (base64 sources), `error`."""

    ok: bool
    result: dict[str, Any] = field(default_factory=dict)


def run(call: ToolCall, caller: Caller) -> Ran:
    """Run a claimed call, in a worker thread. Never raises: every fault is an answer the model can read."""
    tool = rights.tools_of(call.agent_id).get(call.tool)
    if tool is None:
        return failed(NO_TOOL)
    if not _is_what_was_shown(call, caller):
        logger.error("call %s: the digest does not match, it is not run", call.call_id)
        return failed(CHANGED)
    try:
        output = tool.run(json.loads(call.canonical_args), caller)
        hit("call.done")
        return _kept(output)
    except ToolFailed as error:
        return failed(str(error))
    except Exception:
        logger.exception("tool %s failed", call.tool)
        return failed(BROKEN)


def keep_late(call_pk: int, ran: Ran) -> None:
    """Note in the audit how a call ended that was answered "outcome unknown" before (turns.md 8): never in the list."""
    late = ToolCall.objects.filter(pk=call_pk, state=ToolCall.State.UNKNOWN)
    try:
        late.update(ok=ran.ok, ended_at=now_ms())
    except DatabaseError:
        logger.warning("the late end of call %d is not kept", call_pk)


def failed(text: str) -> Ran:
    return Ran(ok=False, result={"error": capped(clean(text), limit=LONGEST_TEXT) or BROKEN})


def _is_what_was_shown(call: ToolCall, caller: Caller) -> bool:
    digest = gate.digest(
        conversation_id=caller.conversation_id,
        turn_id=call.turn.turn_id,
        call_id=call.call_id,
        tool=call.tool,
        agent_id=call.agent_id,
        canonical_args=call.canonical_args,
    )
    return digest == call.digest


def _kept(output: Output) -> Ran:
    text = capped(clean(output.text), limit=LONGEST_TEXT)
    sources = [source for image in output.images if (source := _source(image))]
    unreadable = len(output.images) - len(sources)
    if unreadable:
        text = f"{text}\n[{unreadable} image(s) could not be read]".strip()
    result: dict[str, Any] = {"text": text, "images": [{"source": source} for source in sources]}
    return Ran(ok=True, result=result | ({"unreadable_images": unreadable} if unreadable else {}))


def _source(image: Image) -> dict[str, str] | None:
    try:
        media_type = images.checked(image.data, image.media_type).media_type
    except images.UnreadableImage:
        return None
    return {
        "type": "base64",
        "media_type": media_type,
        "data": base64.b64encode(image.data).decode(),
    }

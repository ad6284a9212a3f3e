"""Signatures of scripted thinking, bound like the newest models' to everything that stands before them.

A block is valid while system, tools and all earlier messages are unchanged in value. Outside stay cache markers, how
a text is wrapped (string or block), where same-role neighbours are cut, and other thinking blocks.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

_MARK = b"scripted:"
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


class _Trail:
    """A running digest of a request's values."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._digest = hashlib.sha256()
        system = body.get("system") or ""
        self._add(system if isinstance(system, str) else "".join(block["text"] for block in system))
        self._add(body.get("tools") or [])

    def pass_by(self, role: str, block: dict[str, Any]) -> None:
        if block["type"] not in _THOUGHTS:
            self._add([role, block])

    def signature(self) -> str:
        return base64.b64encode(_MARK + self._digest.copy().digest()).decode()

    def _add(self, value: Any) -> None:
        self._digest.update(json.dumps(_plain(value), sort_keys=True).encode() + b"\n")


def sign(body: Mapping[str, Any], *, before: Sequence[dict[str, Any]] = ()) -> str:
    """Return the signature of a thinking block in the reply to `body`, after the reply's blocks in `before`."""
    trail = _Trail(body)
    for message in body["messages"]:
        for block in _blocks(message):
            trail.pass_by(message["role"], block)
    for block in before:
        trail.pass_by("assistant", block)
    return trail.signature()


def unbound(body: Mapping[str, Any]) -> str | None:
    """Return what the API says of the first thinking block that is bound to something else; None when all fit.

    Signatures that were not made here are not judged.
    """
    trail = _Trail(body)
    for place, message in enumerate(body["messages"]):
        for number, block in enumerate(_blocks(message)):
            signature = block.get("signature")
            if (
                block["type"] == "thinking"
                and _is_ours(signature)
                and signature != trail.signature()
            ):
                return (
                    f"messages.{place}.content.{number}: Invalid `signature` in `thinking` block. "
                    "The block is bound to a different conversation."
                )
            trail.pass_by(message["role"], block)
    return None


def _blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key != "cache_control"}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _is_ours(signature: object) -> bool:
    try:
        return isinstance(signature, str) and base64.b64decode(signature, validate=True).startswith(
            _MARK
        )
    except binascii.Error:
        return False

"""What the model is told about a call that gave no result of its own: seven fixed sentences.

Each is true of exactly one situation, so that replay can tell them apart and a model is never told that a call had no
effect when it may have had one. They stand in the list as they are, never fenced: a sentence inside a fence was said
by a tool and proves nothing. A refusal may go on with `REASON` and the words of the person who refused.
"""

from types import MappingProxyType

NOT_RUN = "not run: the turn ended before this call began, so it had no effect."
UNKNOWN = "outcome unknown: the call may have run; verify before repeating"
DENIED = "Refused by a person. The call was not run; do not repeat it."
REASON = "The person says:"
EXPIRED = "Nobody decided in time, so the call was not run. Ask before you try it again."
REPEATED = "Refused without asking: a person has refused the same call in this turn. It was not run; do not repeat it."
STOPPED = "not run: a person stopped the turn before this call began, so it had no effect."
FORBIDDEN = (
    "Refused: the person may not use this tool any more. The call was not run; do not repeat it."
)
NO_OUTPUT = "(no output)"

_CODES = MappingProxyType(
    {
        DENIED: "denied",
        EXPIRED: "expired",
        REPEATED: "repeated",
        STOPPED: "stopped",
        FORBIDDEN: "forbidden",
    }
)
_OURS = (NOT_RUN, UNKNOWN, *_CODES)


def code_of(text: str) -> str | None:
    """Return the code of a `denied` event (denied, expired, repeated, stopped, forbidden) for the text of an error result."""
    return next((code for sentence, code in _CODES.items() if text.startswith(sentence)), None)


def is_ours(text: str) -> bool:
    """Say whether the text of an error result is one of the fixed sentences, so that no tool has spoken."""
    return text.startswith(_OURS)

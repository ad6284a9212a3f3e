"""The shape of a stored list of messages: the door to what may be asked of one.

A message is {role, content} as the Anthropic Messages API takes it. Nothing here knows a table, a socket or a model.
"""

from history.blocks import Block, Message, is_persons, note
from history.checking import check, check_shape, faults
from history.healing import Healed, heal
from history.rules import Rule, Violation
from history.sending import merge_neighbours, strip_thinking, within_limits
from history.transcript import Event, pending_tool_uses, preview_of, text_of, title_of, transcript

__all__ = [
    "Block",
    "Event",
    "Healed",
    "Message",
    "Rule",
    "Violation",
    "check",
    "check_shape",
    "faults",
    "heal",
    "is_persons",
    "merge_neighbours",
    "note",
    "pending_tool_uses",
    "preview_of",
    "strip_thinking",
    "text_of",
    "title_of",
    "transcript",
    "within_limits",
]

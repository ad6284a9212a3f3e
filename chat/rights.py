"""Who may still run what: looked up whenever it matters, since a held call may be decided long after it was asked."""

from collections.abc import Mapping

from chat.models import Turn
from chat.tools.base import Tool
from chat.tools.registry import UnknownAgent, toolbox


def tools_of(agent_id: str) -> Mapping[str, Tool]:
    """Return an agent's tools by name, none where the agent itself is gone by now (turns.md 19)."""
    try:
        return toolbox(agent_id)
    except UnknownAgent:
        return {}


def may_run(turn: Turn, tool: str) -> bool:
    """Say whether the turn's owner may run this tool now: an active account, a tool that is still there (rule 15)."""
    return turn.owner.is_active and tool in tools_of(turn.agent_id)

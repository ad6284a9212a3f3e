"""Which agents there are and which tools each of them has."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from chat.tools.arguments import check_schema
from chat.tools.base import Tool
from chat.tools.current_time import CURRENT_TIME
from chat.tools.delete_file import DELETE_FILE
from chat.tools.list_files import LIST_FILES
from chat.tools.move_file import MOVE_FILE
from chat.tools.read_conversation import READ_CONVERSATION
from chat.tools.read_file import READ_FILE
from chat.tools.search_files import SEARCH_FILES
from chat.tools.search_history import SEARCH_HISTORY
from chat.tools.write_file import WRITE_FILE
from history.errors import BadRequest

DEFAULT_AGENT: Final = "workspace"
ALWAYS: Final = "kenny"
"""The agent whose tools every other one has as well."""

AGENTS: Final[Mapping[str, Sequence[Tool]]] = {
    "workspace": (LIST_FILES, READ_FILE, SEARCH_FILES, WRITE_FILE, MOVE_FILE, DELETE_FILE),
    "kenny": (SEARCH_HISTORY, READ_CONVERSATION, CURRENT_TIME),
}

# What the Messages API takes; with another name, or with one name twice, it refuses every request.
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class UnknownAgent(BadRequest):
    default = "There is no agent of that name here."


def toolbox(agent_id: str) -> dict[str, Tool]:
    """Return an agent's tools and the ones that are always there, by name, in a fixed order. Raises UnknownAgent."""
    if agent_id not in AGENTS:
        raise UnknownAgent
    return {tool.name: tool for tool in (*AGENTS[agent_id], *AGENTS[ALWAYS])}


def offered() -> list[dict[str, Any]]:
    """Return each agent with the names of its own tools, the default one first."""
    names = sorted(AGENTS, key=lambda agent_id: (agent_id != DEFAULT_AGENT, agent_id))
    return [{"id": name, "tools": [tool.name for tool in AGENTS[name]]} for name in names]


def check(agents: Mapping[str, Sequence[Tool]]) -> None:
    """Refuse at start-up what the API would refuse in every turn. Raises ValueError or jsonschema.SchemaError."""
    for agent_id, tools in agents.items():
        names = [tool.name for tool in (*tools, *(agents[ALWAYS] if agent_id != ALWAYS else ()))]
        if len(set(names)) != len(names):
            raise ValueError(f"agent {agent_id}: two tools have one name")
        for tool in tools:
            if not _NAME.fullmatch(tool.name):
                raise ValueError(
                    f"agent {agent_id}: the API does not take {tool.name!r} as the name of a tool"
                )
            check_schema(tool.input_schema)


check(AGENTS)

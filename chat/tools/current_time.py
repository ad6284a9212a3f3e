"""current_time: what time it is on the server."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from chat.tools.base import Caller, Output, Tier, Tool


def _run(args: Mapping[str, Any], caller: Caller) -> Output:
    now = datetime.fromtimestamp(caller.now_ms // 1000, tz=UTC)
    return Output(text=f"{now:%Y-%m-%dT%H:%M:%SZ}, {now:%A}")


CURRENT_TIME = Tool(
    name="current_time",
    description="Tell the present date, time and weekday of the server, in UTC.",
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    run=_run,
    tier=Tier.READ_ONLY,
)

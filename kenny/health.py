"""/livez, /readyz and /metrics, answered before any middleware: no session, no redirect, no host check."""

import asyncio
import logging
import resource
import sys
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from chat import doors
from chat.threads import in_thread
from kenny.accounts.models import Probe

logger = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

LIMIT = 2.0  # seconds that a write may take
KEEP = 1.0  # seconds that an answer is reused: a probe is a commit
LOOPBACK = frozenset({"127.0.0.1", "::1"})


class Health:
    """State of this process. `drain()` makes /readyz answer 503 from then on."""

    def __init__(self) -> None:
        self.draining = False
        self._migrated = False
        self._answer: tuple[float, str] | None = None
        self._started = time.monotonic()

    def drain(self) -> None:
        self.draining = True

    async def trouble(self) -> str:
        """Return why the process should get no requests, or "" when it should."""
        if self.draining:
            return "draining"
        if self._answer is None or time.monotonic() - self._answer[0] > KEEP:
            self._answer = (time.monotonic(), await self._probed())
        return self._answer[1]

    async def _probed(self) -> str:
        try:
            return await asyncio.wait_for(in_thread(self._probe), LIMIT)
        except TimeoutError:
            return "the database is slow"
        except Exception:
            logger.exception("the write probe failed")
            return "the database cannot be written"

    def _probe(self) -> str:
        if not self._migrated:
            executor = MigrationExecutor(connection)
            if executor.migration_plan(executor.loader.graph.leaf_nodes()):
                return "migrations are missing"
            self._migrated = True
        Probe.objects.update_or_create(pk=1, defaults={"at": timezone.now()})
        return ""

    def metrics(self) -> str:
        """Return figures of this process in Prometheus' text format."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
            1 if sys.platform == "darwin" else 1024
        )
        figures = {
            "kenny_open_doors": sum(1 for _ in doors.all_doors()),
            "kenny_peak_memory_bytes": peak,
            "kenny_uptime_seconds": int(time.monotonic() - self._started),
            "kenny_draining": int(self.draining),
        }
        return "".join(f"# TYPE {name} gauge\n{name} {value}\n" for name, value in figures.items())


HEALTH = Health()
PATHS = frozenset({"/livez", "/readyz", "/metrics"})


async def answer(scope: MutableMapping[str, Any], send: Send) -> None:
    """Answer one of `PATHS`."""
    status, body = await _answer(scope)
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    headers.append((b"content-length", str(len(body.encode())).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    shown = b"" if scope["method"] == "HEAD" else body.encode()
    await send({"type": "http.response.body", "body": shown})


async def _answer(scope: MutableMapping[str, Any]) -> tuple[int, str]:
    if scope["method"] not in {"GET", "HEAD"}:
        return 405, "GET or HEAD\n"
    if scope["path"] == "/livez":
        return 200, "ok\n"
    if scope["path"] == "/metrics":
        return (200, HEALTH.metrics()) if _is_near(scope) else (404, "not found\n")
    trouble = await HEALTH.trouble()
    return (503, f"{trouble}\n") if trouble else (200, "ok\n")


def _is_near(scope: MutableMapping[str, Any]) -> bool:
    """Whether the request comes from this machine and through no proxy, behind which all would look near."""
    forwarded = any(name in {b"forwarded", b"x-forwarded-for"} for name, _ in scope["headers"])
    return bool(scope.get("client")) and scope["client"][0] in LOOPBACK and not forwarded

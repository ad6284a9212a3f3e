"""Starting turns that nobody takes up, and the lists they build on."""

import threading
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import close_old_connections, connection, transaction

from chat.protocol import Send
from chat.turns import Started, start
from history import store
from history.errors import Refused
from tests.support.engine import NOW


def send(owner: User, message: str = "open V1", **more: Any) -> Started:
    """Start a turn that nobody takes up."""
    more.setdefault("conversation_id", "c-1")
    return start(Send(message=message, **more), owner_id=owner.pk, now=NOW)


def keep(owner: User, *messages: dict[str, Any], cid: str = "c-1") -> int:
    """Store a conversation as a client would; return its version."""
    with transaction.atomic():
        state = store.locked(owner.pk)
        row = store.open_for_turn(state, cid=cid, title="T", agent_id="workspace", now=NOW)
        kept = store.append_turn(
            state,
            row,
            messages=list(messages),
            agent_id=None,
            title_if_empty="",
            now=NOW,
            live=None,
        )
    return kept.version


def together(*acts: Callable[[], Any]) -> list[Any]:
    """Run these at the same time on connections of their own; return what each gave or how it was refused."""
    found: list[Any] = []
    ready = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> None:
        close_old_connections()
        ready.wait(10)
        try:
            found.append(act())
        except Refused as error:
            found.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return found

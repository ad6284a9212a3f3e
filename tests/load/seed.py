"""Fills a database for the history benchmarks, in the product's own process environment.

    python -m tests.load.seed fill USER COUNT        conversations; every COUNT/100th holds a 2 MB screenshot
    python -m tests.load.seed large USER CID MB      one conversation with that many MB of screenshots
    python -m tests.load.seed delta USER             ms the database needs for a delta of 10 changes
    python -m tests.load.seed settle USER MESSAGES IMAGES   ms and bytes of log for settling one turn

Rows of `fill` are written in bulk beside the store: what is measured afterwards only reads them.
"""

import base64
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kenny.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from history import feed, store  # noqa: E402
from history.clock import now_ms  # noqa: E402
from history.models import Blob, BlobLink, Conversation, SyncState  # noqa: E402

PNG = b"\x89PNG\r\n\x1a\n"
BATCH = 1000
TURNS = 5


def said(number: int) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": f"question {number} about valves"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": f"answer {number}, in one sentence."}],
        },
    ]


def shot(size: int) -> dict[str, Any]:
    data = base64.b64encode(PNG + os.urandom(size)).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def owner(name: str) -> int:
    return int(User.objects.get(username=name).pk)


def fill(user: str, count: str) -> None:
    owner_id, total = owner(user), int(count)
    with transaction.atomic():
        state = store.locked(owner_id)
        first = state.last_seq + 1
        for begin in range(0, total, BATCH):
            numbers = range(begin, min(begin + BATCH, total))
            Conversation.objects.bulk_create([row(owner_id, first + n) for n in numbers])
        SyncState.objects.filter(pk=owner_id).update(last_seq=first + total - 1)
        picked = range(first, first + total, max(1, total // 100))
        rows = Conversation.objects.owned_by(owner_id).filter(cid__in=[f"fill-{n}" for n in picked])
        attach_shots(owner_id, list(rows.only("pk", "cid")))


def row(owner_id: int, number: int) -> Conversation:
    return Conversation(
        owner_id=owner_id, cid=f"fill-{number}", seq=number, first_seq=number, title=f"Conversation {number}",
        created_at=number, updated_at=number, sort_at=number, server_updated_at=number, messages=said(number),
        message_count=2, preview=f"answer {number}",
    )  # fmt: skip


def attach_shots(owner_id: int, rows: list[Conversation]) -> None:
    for conversation in rows:
        data = PNG + os.urandom(2 * 2**20)
        sha256 = hashlib.sha256(data).hexdigest()
        blob = Blob.objects.create(
            owner_id=owner_id,
            sha256=sha256,
            size=len(data),
            media_type="image/png",
            width=1,
            height=1,
            data=data,
        )
        BlobLink.objects.create(conversation=conversation, blob=blob)


def large(user: str, cid: str, megabytes: str) -> None:
    shots = [{"role": "user", "content": [shot(750_000)]} for _ in range(int(megabytes))]
    settle_list(owner(user), cid, shots)


def settle_list(owner_id: int, cid: str, messages: list[dict[str, Any]]) -> None:
    prepared = store.prepare(owner_id, messages)
    with transaction.atomic():
        state = store.locked(owner_id)
        conversation = store.open_for_turn(state, cid=cid, title="t", agent_id=None, now=now_ms())
        store.append_turn(
            state,
            conversation,
            messages=prepared,
            agent_id=None,
            title_if_empty="",
            now=now_ms(),
            live=None,
        )


def delta(user: str) -> None:
    owner_id = owner(user)
    since = feed.cursor_for(owner_id)
    for number in range(10):
        settle_list(owner_id, f"moved-{number}", said(number))
    times = []
    for _ in range(20):
        began = time.perf_counter()
        page = feed.pull(feed.state_of(owner_id), feed.Wish(since=since))
        times.append((time.perf_counter() - began) * 1000)
        assert len(page["conversations"]) == 10
    print(json.dumps({"ms": sorted(times)[10]}))


def settle(user: str, messages: str, images: str) -> None:
    """More turns in a conversation of that many messages and images, each 1 MB; a turn has one image if any.

    The middle of five turns is told; a turn's own bytes are its JSON with the image as the bytes it stands for.
    """
    owner_id, cid = owner(user), f"settle-{messages}-{images}"
    listed = [message for number in range(int(messages) // 2) for message in said(number)]
    listed += [{"role": "user", "content": [shot(2**20)]} for _ in range(int(images))]
    settle_list(owner_id, cid, listed)
    found = []
    for number in range(TURNS):
        words = said(10**6 + number)
        picture = [{"role": "user", "content": [shot(2**20)]}] if int(images) else []
        listed = [*listed, *words, *picture]
        found.append(
            {"own": len(json.dumps(words)) + 2**20 * len(picture), **cost(owner_id, cid, listed)}
        )
    print(json.dumps(sorted(found, key=lambda turn: turn["ms"])[TURNS // 2]))


def cost(owner_id: int, cid: str, listed: list[dict[str, Any]]) -> dict[str, float]:
    empty_log()
    before, began = log_bytes(), time.perf_counter()
    settle_list(owner_id, cid, listed)
    return {"ms": (time.perf_counter() - began) * 1000, "written": log_bytes() - before}


def empty_log() -> None:
    """Begin SQLite's log anew: it is reused after a checkpoint, so its size alone would tell nothing."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def log_bytes() -> int:
    """Return how much the write-ahead log has taken so far."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA wal_autocheckpoint=0")
            return Path(f"{connection.settings_dict['NAME']}-wal").stat().st_size
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])


JOBS: dict[str, Callable[..., None]] = {
    "fill": fill,
    "large": large,
    "delta": delta,
    "settle": settle,
}

if __name__ == "__main__":
    JOBS[sys.argv[1]](*sys.argv[2:])

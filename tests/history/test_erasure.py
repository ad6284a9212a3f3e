"""That no byte of a deleted conversation is left in the database's files."""

import base64
import json
import secrets
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from history import store
from history.erasure import flush_deleted
from history.models import Blob, BlobLink, Conversation, ScaledCopy, SearchText, SyncState
from tests.history.conftest import Api, picture, said
from tests.history.test_blobs import shot

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def committing(transactional_db: None) -> Api:
    return Api(User.objects.create_user("alice"))


def fill(api: Api, cid: str, canary: str) -> bytes:
    """Save a conversation that says `canary` everywhere it can; return the bytes of its image."""
    data = picture() + canary.encode()
    call = {"type": "tool_use", "id": "t", "name": "x", "input": {canary: canary}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": [shot(data), {"type": "text", "text": canary}],
    }
    messages = [
        *said(canary),
        {"role": "user", "content": "y"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    api.put(cid, title=canary, messages=messages, settings={"system": canary}, agentId=canary)
    row = store.find(owner_id=api.owner_id, cid=cid)
    with transaction.atomic():
        store.set_live(
            store.locked(api.owner_id),
            row,
            turn_id=None,
            status=None,
            frozen=store.Frozen(system=canary, tools=[{"name": canary}]),
        )
    return data


def files_with(word: bytes) -> list[str]:
    """Return the database's files that hold these bytes."""
    path = Path(str(connection.settings_dict["NAME"]))
    return [file.name for file in path.parent.glob(f"{path.name}*") if word in file.read_bytes()]


class TestFlush:
    def test_leaves_no_word_in_database_and_log(self, committing: Api) -> None:
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL's files are its server's")
        canary = "canary" + secrets.token_hex(8)
        for number in range(30):
            committing.put(f"kept-{number}", messages=said(f"kept {number}"))
        data = fill(committing, "c-1", canary)
        committing.put("c-2", messages=said(f"also {canary}"))
        committing.put("c-2", messages=said("rewritten"))
        assert files_with(canary.encode())

        committing.delete("c-1")
        flush_deleted()

        traces = [canary.encode(), canary[:-2].encode(), base64.b64encode(data)[:200], data[40:200]]
        assert [files_with(trace) for trace in traces] == [[], [], [], []]
        assert files_with(b"kept 29")
        assert len(committing.list("?q=kept&limit=100").body["conversations"]) == 30
        flush_deleted()

    def test_leaves_no_word_in_any_row(self, committing: Api) -> None:
        canary = "canary" + secrets.token_hex(8)
        fill(committing, "c-1", canary)

        committing.delete("c-1")
        flush_deleted(tables=("auth_user",))

        assert canary not in dumped()


def dumped() -> str:
    """Return every row of every table as text."""
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        rows = []
        for table in tables:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608  names from the catalogue
            rows += cursor.fetchall()
    return json.dumps(
        rows, default=lambda value: repr(bytes(value) if isinstance(value, memoryview) else value)
    )


class TestUser:
    def test_who_is_deleted_leaves_no_row_and_no_word(self, committing: Api) -> None:
        canary = "canary" + secrets.token_hex(8)
        fill(committing, "c-1", canary)
        committing.delete("c-2")

        assert committing.user
        committing.user.delete()
        flush_deleted()

        models = (Conversation, Blob, BlobLink, ScaledCopy, SearchText, SyncState)
        assert [model.objects.count() for model in models] == [0] * 6
        assert canary not in dumped()
        if connection.vendor == "sqlite":
            assert files_with(canary.encode()) == []

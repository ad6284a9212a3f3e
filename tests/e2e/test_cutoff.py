"""Streams and turns of somebody who has left: ended within two seconds. Sockets are in tests/kenny/test_sockets.py."""

import base64
import contextlib
import http.client
import os
import time
import zipfile
from io import BytesIO

import pytest

from tests.support.answers import says
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import Server
from tests.support.sockets import Socket
from tests.support.sse import stream, turn_events
from tests.support.upstream import Upstream

LIMIT = 2.0
MARGIN = 1.0
"""The time is taken from the commit in one process to the end of the stream in another, on two cores that many share."""

CHANGES = {
    "deactivation": "User.objects.filter(username={name!r}).update(is_active=False)",
    "a revoked token": "from kenny.accounts.models import ApiToken\n"
    "ApiToken.objects.filter(user__username={name!r}).delete()",
    "a new password": "user = User.objects.get(username={name!r})\n"
    "user.set_password('another horse battery 9')\nuser.save()",
}


class TestCutOff:
    @pytest.mark.parametrize("change", CHANGES)
    def test_ends_a_stream_within_two_seconds(
        self, product: Server, cast: Cast, hold: Upstream, change: str
    ) -> None:
        name = change.replace(" ", "-")
        client = product.user(name)
        words = cast.teach("cut off", says("Some words and more", chunk=11, hold_after=1))
        with stream(client, words) as sent:
            sent.until("text_delta")
            # The last thing that the command prints is when it changed it, in the clock of the machine.
            printed = product.manage(
                "shell", "--no-imports", "-c",
                "import time\nfrom django.contrib.auth.models import User\n"
                + CHANGES[change].format(name=name)
                + "\nprint(time.monotonic())",
            )  # fmt: skip
            rest = sent.rest()
            ended = time.monotonic()

        assert ended - float(printed.split()[-1]) < LIMIT + MARGIN
        assert client.get("/api/conversations").status == (200 if "password" in change else 401)
        if change == "deactivation":
            self.ends_the_turn(product, name, rest[0]["turnId"])

    @staticmethod
    def ends_the_turn(product: Server, name: str, turn_id: str) -> None:
        """Let them in again and see how their turn ended, whose answer the upstream still holds back."""
        product.manage(
            "shell", "--no-imports", "-c",
            "from django.contrib.auth.models import User\n"
            f"User.objects.filter(username={name!r}).update(is_active=True)",
        )  # fmt: skip
        token = product.manage("create_token", name).split()[-1]
        events = turn_events(Client(product.port, token), turn_id)
        assert events[-1]["type"] == "done"
        assert events[-1]["stopReason"] in {"stopped", "interrupted"}

    def test_ends_a_running_export_within_two_seconds(self, product: Server) -> None:
        client = product.user("exporter")
        for number in range(8):
            shot = base64.b64encode(b"\x89PNG\r\n\x1a\n" + os.urandom(3 * 2**20)).decode()
            source = {"type": "base64", "media_type": "image/png", "data": shot}
            said = [{"role": "user", "content": [{"type": "image", "source": source}]}]
            put = client.request("PUT", f"/api/conversations/c-{number}", {"messages": said})
            assert put.status == 201
        connection = client.connection(timeout=60)
        with contextlib.closing(connection), Socket(client) as socket:
            headers = {"authorization": f"Bearer {client.token}"}
            connection.request("GET", "/api/export", headers=headers)
            answer = connection.getresponse()
            got = answer.read(1000)
            product.manage(
                "shell", "--no-imports", "-c",
                "from kenny.accounts.models import ApiToken\n"
                "ApiToken.objects.filter(user__username='exporter').delete()",
            )  # fmt: skip
            # The sweep that shuts this socket shuts the export as well: what is under way comes, no more is made.
            assert socket.closed() == 4001
            with contextlib.suppress(http.client.IncompleteRead):
                got += answer.read()

        assert len(got) < 20 * 2**20
        assert not zipfile.is_zipfile(BytesIO(got))

"""The gate through the doors of the real server: devices, people who left, time."""

from typing import Any

from tests.support.answers import calls, says, use
from tests.support.cast import Cast
from tests.support.http import Client
from tests.support.server import PASSWORD, Server, wait_until
from tests.support.sockets import Socket
from tests.support.sse import decide, stream, turn_events


class TestPeople:
    """The same through the doors of the real server."""

    def held(self, client: Client, cast: Cast) -> dict[str, Any]:
        answer = calls(use("write_file", path="door.txt", content="x"))
        with stream(client, cast.teach("a door", answer, says("Done."))) as sent:
            return next(event for event in sent.rest() if event["type"] == "pending")

    def test_two_devices_at_the_same_moment_have_one_effect(
        self, person: Client, cast: Cast
    ) -> None:
        pending = self.held(person, cast)
        fields = {name: pending[name] for name in ("conversationId", "callId", "digest")}
        with Socket(person) as one, Socket(person) as two:
            for socket in (one, two):
                socket.say("confirm", **fields, approve=True, ref="yes")
            answers = [s.until(lambda f: f.get("ref") == "yes") for s in (one, two)]
        events = turn_events(person, pending["turnId"])

        assert sorted(answer["type"] for answer in answers) == ["ack", "error"]
        assert [event["type"] for event in events].count("tool_result") == 1
        lost = next(answer for answer in answers if answer["type"] == "error")
        assert (lost["code"], lost["decision"]) == ("decided", "approved")

    def test_signed_out_or_deactivated_decides_nothing(self, product: Server, cast: Cast) -> None:
        product.users("leaver")
        token = product.manage("create_token", "leaver").split()[-1]
        client = Client(product.port, token)
        pending = self.held(client, cast)
        with Socket(client) as socket:
            product.manage(
                "shell", "--no-imports", "-c",
                "from django.contrib.auth.models import User\n"
                "User.objects.filter(username='leaver').update(is_active=False)",
            )  # fmt: skip
            with decide(client, pending, approve=True) as refused:
                assert refused.status == 401
            assert socket.closed() == 4001
        product.manage(
            "shell", "--no-imports", "-c",
            "from django.contrib.auth.models import User\n"
            "User.objects.filter(username='leaver').update(is_active=True)",
        )  # fmt: skip
        kinds = [event["type"] for event in turn_events(client, pending["turnId"])]

        assert "decided" not in kinds
        assert "tool_result" not in kinds

    def test_a_browser_without_its_token_decides_nothing(self, product: Server, cast: Cast) -> None:
        product.users("browser")
        browser = product.sign_in("browser", password=PASSWORD)
        headers = dict(browser.headers)
        mine = product.manage("create_token", "browser").split()[-1]
        client = Client(product.port, mine)
        pending = self.held(client, cast)
        forged = Client(product.port, headers={"cookie": headers["cookie"]})
        with decide(forged, pending, approve=True) as refused:
            assert refused.status in {403, 409}

        assert len(client.get("/api/chat/pending").json["pending"]) == 1


class TestExpiry:
    def test_answers_the_call_and_asks_no_model(
        self, env: dict[str, str], cast: Cast, upstream: Any
    ) -> None:
        with Server(env={**env, "KENNY_APPROVAL_TTL": "1"}) as server:
            client = server.user("late")
            answer = calls(use("write_file", path="late.txt", content="x"))
            with stream(client, cast.teach("too late", answer, says("Never."))) as sent:
                pending = next(event for event in sent.rest() if event["type"] == "pending")
            asked = len(upstream.bodies)
            wait_until(
                lambda: client.get("/api/chat/pending").json["pending"] == [],
                within=30, what="the call has expired",
            )  # fmt: skip
            with decide(client, pending, approve=True) as refused:
                assert (refused.status, refused.body["error"]["code"]) == (409, "expired")
            events = turn_events(client, pending["turnId"])

            assert (events[-2]["type"], events[-2]["code"]) == ("denied", "expired")
            assert events[-1]["done"]
            assert len(upstream.bodies) == asked
            assert not list(server.data.glob("workspaces/*/late.txt"))

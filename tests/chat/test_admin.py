"""What staff see of turns and calls in the admin site."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat import turns
from chat.models import ToolCall, Turn
from chat.protocol import Send
from history.clock import now_ms
from history.models import Look

SECRET = "canary-argument"


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def call(alice: User) -> ToolCall:
    """A held call of alice's."""
    started = turns.start(
        Send(message="hello", conversation_id="c-1"), owner_id=alice.pk, now=now_ms()
    )
    Turn.objects.filter(pk=started.turn.pk).update(
        usage={"input_tokens": 1200, "output_tokens": 34}
    )
    return ToolCall.objects.create(
        turn=started.turn,
        message_n=1,
        position=0,
        call_id="toolu_1",
        tool="write_file",
        agent_id="workspace",
        tier="state_changing",
        args={"path": SECRET},
        digest="d" * 64,
        state=ToolCall.State.DENIED,
        created_at=now_ms(),
        decided_by=alice,
        decided_at=now_ms(),
    )


def page(client: Client, path: str) -> str:
    answer = client.get(f"/admin/chat/{path}")
    assert answer.status_code == 200
    return answer.content.decode()


class TestTurns:
    def test_show_owner_status_and_tokens(self, call: ToolCall, staff: Client) -> None:
        html = page(staff, "turn/")

        for text in ("alice", "running", "1,200 / 34", call.turn.turn_id):
            assert text in html

    def test_list_their_calls_without_arguments(self, call: ToolCall, staff: Client) -> None:
        html = page(staff, f"turn/{call.turn_id}/change/")

        assert "write_file" in html
        assert SECRET not in html
        assert not Look.objects.exists()

    @pytest.mark.parametrize(
        "path", ["turn/add/", "turn/{turn}/delete/", "toolcall/add/", "toolcall/{call}/delete/"]
    )
    def test_are_nothing_to_add_or_delete(self, call: ToolCall, staff: Client, path: str) -> None:
        answer = staff.get("/admin/chat/" + path.format(turn=call.turn_id, call=call.pk))

        assert answer.status_code == 403


class TestCalls:
    def test_show_who_decided(self, call: ToolCall, staff: Client) -> None:
        html = page(staff, "toolcall/")

        assert "denied" in html
        assert html.count("alice") >= 2
        assert SECRET not in html

    def test_record_the_look_that_shows_arguments(self, call: ToolCall, staff: Client) -> None:
        html = page(staff, f"toolcall/{call.pk}/change/")

        look = Look.objects.get()
        assert SECRET in html
        assert (look.staff_name, look.owner_name, look.cid) == ("root", "alice", "c-1")

    def test_are_for_staff_only(self, call: ToolCall, client: Client, alice: User) -> None:
        client.force_login(alice)

        assert client.get(f"/admin/chat/toolcall/{call.pk}/change/").status_code == 302
        assert not Look.objects.exists()

"""What staff can do with conversations in the admin site, and what is written down about it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from history.models import Conversation, Look
from tests.history.conftest import Api, said

ADMIN = "/admin/history/conversation/"


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def staff(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


class TestList:
    def test_shows_whose_which_and_how_far(self, api: Api, staff: Client) -> None:
        api.put("c-live", title="Airship")
        api.delete("c-dead")

        html = page(staff, ADMIN)

        for text in ("c-live", "alice", "Airship", "c-dead", "deleted"):
            assert text in html

    @pytest.mark.parametrize(
        ("query", "shown"),
        [
            ("q=Airship", {"c-live"}),
            ("q=alice", {"c-live", "c-dead"}),
            ("q=c-dead", {"c-dead"}),
            ("state=live", {"c-live"}),
            ("state=deleted", {"c-dead"}),
            ("o=8", {"c-live", "c-dead"}),
        ],
    )
    def test_can_be_searched_filtered_and_sorted(
        self, api: Api, staff: Client, query: str, shown: set[str]
    ) -> None:
        api.put("c-live", title="Airship")
        api.delete("c-dead")

        html = page(staff, f"{ADMIN}?{query}")

        assert {cid for cid in ("c-live", "c-dead") if f">{cid}</a>" in html} == shown


class TestTranscript:
    def test_is_rendered_and_cannot_be_changed(self, api: Api, staff: Client) -> None:
        call = {"type": "tool_use", "id": "t", "name": "read_file", "input": {"path": "<b>x</b>"}}
        result = {"type": "tool_result", "tool_use_id": "t", "content": "the <i>valve</i>"}
        api.put(
            "c-1",
            updatedAt=2**53 - 1,
            messages=[
                {"role": "user", "content": "**bold** <script>alert(1)</script>"},
                {"role": "assistant", "content": [call]},
                {"role": "user", "content": [result]},
            ],
        )
        pk = Conversation.objects.get().pk

        html = page(staff, f"{ADMIN}{pk}/change/")

        assert "<strong>bold</strong>" in html
        assert "read_file" in html
        assert "<script>alert(1)</script>" not in html
        assert "<b>x</b>" not in html
        assert "the &lt;i&gt;valve&lt;/i&gt;" in html
        assert staff.post(f"{ADMIN}{pk}/change/", {"title": "x"}).status_code == 403
        assert staff.get(f"{ADMIN}add/").status_code == 403
        assert Conversation.objects.get().title == "T"

    def test_leaves_a_line_for_each_look_at_another_users(
        self, api: Api, staff: Client, root: User
    ) -> None:
        api.put("c-1", title="secret title", messages=said("secret"))
        Api(root).put("own")
        Api(root).delete("dead")
        alices = Conversation.objects.with_cid("c-1").get()

        for row in Conversation.objects.all():
            page(staff, f"{ADMIN}{row.pk}/change/")

        look = Look.objects.get()
        assert (look.staff, look.owner, look.cid) == (root, alices.owner, "c-1")
        assert (look.staff_name, look.owner_name) == ("root", "alice")
        assert look.at > 1_600_000_000_000
        html = page(staff, "/admin/history/look/")
        assert "c-1" in html
        assert "secret" not in html
        assert (
            staff.post(f"/admin/history/look/{look.pk}/delete/", {"post": "yes"}).status_code == 403
        )

    def test_of_a_user_who_is_gone_by_now_keeps_its_line(self, api: Api, staff: Client) -> None:
        api.put("c-1")
        page(staff, f"{ADMIN}{Conversation.objects.get().pk}/change/")

        User.objects.filter(username="alice").delete()

        look = Look.objects.get()
        assert (look.owner, look.owner_name) == (None, "alice")


class TestDelete:
    def test_goes_through_the_store_and_leaves_a_tombstone(self, api: Api, staff: Client) -> None:
        for cid in ("c-1", "c-2", "c-3"):
            api.put(cid)
        one, *others = Conversation.objects.order_by("pk")

        assert "c-1 of alice" in page(staff, f"{ADMIN}{one.pk}/delete/")
        staff.post(f"{ADMIN}{one.pk}/delete/", {"post": "yes"})
        chosen = {
            "action": "delete_selected",
            "_selected_action": [row.pk for row in others],
            "post": "yes",
        }
        staff.post(ADMIN, chosen)

        assert [row["version"] for row in api.list().body["deleted"]] == [2, 2, 2]
        assert api.seq == 6

    def test_needs_the_right_to(self, api: Api) -> None:
        api.put("c-1")
        clerk = User.objects.create_user("clerk", is_staff=True)
        client = Client()
        client.force_login(clerk)
        pk = Conversation.objects.get().pk

        assert client.get(f"{ADMIN}{pk}/change/").status_code == 403
        assert client.post(f"{ADMIN}{pk}/delete/", {"post": "yes"}).status_code == 403
        assert not Look.objects.exists()

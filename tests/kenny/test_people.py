"""Taking an account out and ending it: by staff in the admin site, by its owner on the account page."""

import io
import json
import re
import zipfile

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.test import Client

from chat.tools import workspace
from history.models import Conversation, Look
from history.staffroom import ERASURE, EXPORT
from tests.history.conftest import Api

pytestmark = pytest.mark.django_db
PEOPLE = "/admin/auth/user/"
PASSWORD = "right horse battery 9"


@pytest.fixture(autouse=True)
def _nothing_counted(permissions: None) -> None:
    cache.clear()


@pytest.fixture
def alice() -> User:
    user = User.objects.create_user("alice", password=PASSWORD)
    Api(user).put("c-1", title="Airship")
    return user


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root")


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def clerk(*rights: str) -> User:
    user = User.objects.create_user("clerk", is_staff=True)
    user.user_permissions.add(*Permission.objects.filter(codename__in=rights))
    return user


def chosen(action: str, *users: User, **more: str) -> dict[str, object]:
    return {"action": action, "_selected_action": [user.pk for user in users], **more}


class TestExportByStaff:
    def test_is_a_download_that_leaves_a_look(self, alice: User, root: User) -> None:
        answer = browser(root).post(PEOPLE, chosen("export", alice))

        with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as archive:
            assert json.loads(archive.read("conversations.jsonl"))["title"] == "Airship"
        assert answer["Content-Type"] == "application/zip"
        assert "no-store" in answer["Cache-Control"]
        look = Look.objects.get()
        assert (look.staff, look.owner, look.cid) == (root, alice, EXPORT)

    def test_takes_one_user_at_a_time(self, alice: User, root: User) -> None:
        page = browser(root).post(PEOPLE, chosen("export", alice, root), follow=True)

        assert "Choose one user" in page.content.decode()
        assert not Look.objects.exists()

    def test_needs_the_right_to_read_conversations(self, alice: User) -> None:
        client = browser(clerk("view_user"))

        answer = client.post(PEOPLE, chosen("export", alice), follow=True)

        assert answer["Content-Type"].startswith("text/html")
        assert not Look.objects.exists()


class TestErasureByStaff:
    def test_of_several_asks_first(self, alice: User, root: User) -> None:
        client = browser(root)
        bob = User.objects.create_user("bob")

        assert ">Erase<" in client.get(PEOPLE).content.decode()
        page = client.post(PEOPLE, chosen("delete_selected", alice, bob)).content.decode()
        assert "alice, with everything of theirs" in page
        assert User.objects.count() == 3
        client.post(PEOPLE, chosen("delete_selected", alice, bob, post="yes"))

        assert list(User.objects.all()) == [root]
        assert not Conversation.objects.exists()
        assert [(look.staff, look.cid) for look in Look.objects.all()] == [(root, ERASURE)] * 2
        assert not LogEntry.objects.filter(object_repr__in=["alice", "bob"]).exists()

    def test_of_one_takes_the_files_too(self, alice: User, root: User) -> None:
        workspace.of(alice.pk).write("a.txt", b"x")
        folder = workspace._folder_of(alice.pk)
        assert folder.is_dir()

        browser(root).post(f"{PEOPLE}{alice.pk}/delete/", {"post": "yes"})

        assert not User.objects.filter(username="alice").exists()
        assert not folder.exists()
        assert "alice" not in LogEntry.objects.get().object_repr

    @pytest.mark.parametrize("rights", [(), ("delete_user",), ("delete_conversation",)])
    def test_needs_both_rights(self, alice: User, rights: tuple[str, ...]) -> None:
        client = browser(clerk("view_user", *rights))

        client.post(PEOPLE, chosen("delete_selected", alice, post="yes"))
        answer = client.post(f"{PEOPLE}{alice.pk}/delete/", {"post": "yes"})

        assert answer.status_code == 403
        assert User.objects.filter(username="alice").exists()

    def test_spares_whoever_asks_for_it(self, alice: User, root: User) -> None:
        client = browser(root)

        assert client.post(f"{PEOPLE}{root.pk}/delete/", {"post": "yes"}).status_code == 403
        client.post(PEOPLE, chosen("delete_selected", alice, root, post="yes"))

        assert User.objects.count() == 2


class TestAccountPage:
    def test_leads_to_the_export_and_to_the_end(self, alice: User) -> None:
        client = browser(alice)

        page = client.get("/accounts/").content.decode()
        answer = client.get("/api/export")

        assert re.search(r'<a [^>]*href="/api/export" download>Export my data</a>', page)
        assert re.search(r'<a [^>]*href="/accounts/delete/">Delete my account</a>', page)
        assert answer["Content-Disposition"].endswith('.zip"')
        assert answer.getvalue().startswith(b"PK")

    def test_erases_the_account_for_its_password(self, alice: User, root: User) -> None:
        client, other = browser(alice), browser(alice)
        assert client.get("/accounts/delete/").status_code == 200

        answer = client.post("/accounts/delete/", {"password": PASSWORD, "name": "alice"})

        assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/")
        assert list(User.objects.all()) == [root]
        assert not Conversation.objects.exists()
        assert [each.get("/accounts/").status_code for each in (client, other)] == [302, 302]
        look = Look.objects.get()
        assert (look.cid, look.staff, look.staff_name) == (ERASURE, None, "")

    @pytest.mark.parametrize("password", ["", "wrong", PASSWORD + " "])
    def test_keeps_it_without(self, alice: User, password: str) -> None:
        answer = browser(alice).post("/accounts/delete/", {"password": password, "name": "alice"})

        assert answer.status_code == 200
        assert "errorlist" in answer.content.decode()
        assert User.objects.filter(username="alice").exists()

    @pytest.mark.parametrize("name", ["", "bob", "Alice"])
    def test_keeps_it_without_its_own_name(self, alice: User, name: str) -> None:
        answer = browser(alice).post("/accounts/delete/", {"password": PASSWORD, "name": name})

        assert answer.status_code == 200
        assert User.objects.filter(username="alice").exists()

    def test_does_not_let_passwords_be_guessed(self, alice: User) -> None:
        client = browser(alice)

        for _ in range(10):
            client.post("/accounts/delete/", {"password": "wrong", "name": "alice"})
        page = client.post(
            "/accounts/delete/", {"password": PASSWORD, "name": "alice"}
        ).content.decode()

        assert "Too many attempts" in page
        assert User.objects.filter(username="alice").exists()

    def test_asks_strangers_to_sign_in(self, client: Client) -> None:
        answer = client.post("/accounts/delete/", {"password": PASSWORD, "name": "alice"})

        assert answer["Location"].startswith("/accounts/login/")

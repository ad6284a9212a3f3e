"""That an erased account leaves nothing: no row, no image, no file, no word; and that nobody else loses anything."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction
from django.test import Client

from chat import preferences
from chat.models import Budget, Spend, ToolCall
from chat.tools import workspace
from history import hooks, store
from history.erasure import flush_deleted
from history.models import Conversation, Look
from history.staffroom import ERASURE
from kenny.accounts import erasing, tokens
from kenny.accounts.erasing import erase_account
from tests.history.archives import chat, entries, packed
from tests.history.conftest import Api, picture, said
from tests.history.test_blobs import shot
from tests.history.test_erasure import dumped, fill
from tests.support import rows
from tests.support.engine import NOW

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def canary() -> str:
    return "canary" + secrets.token_hex(8)


@pytest.fixture
def root(transactional_db: None, permissions: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture(autouse=True)
def bob(root: User) -> Iterator[User]:
    user = User.objects.create_user("bob")
    Api(user).put("c-1", messages=[*said("bobs"), {"role": "user", "content": [shot(picture())]}])
    workspace.of(user.pk).write("mine.txt", b"bobs")
    yield user
    workspace.discard(user.pk)


def live(canary: str, *, root: User) -> User:
    """Return a user who has used everything there is, named by the canary and saying it wherever they can."""
    user = User.objects.create_user(canary, f"{canary}@example.test", is_staff=True)
    api = Api(user)
    data = fill(api, "c-1", canary)
    api.delete("dead")
    sha256 = Conversation.objects.get(owner=user, cid="c-1").links.get().blob.sha256
    with transaction.atomic():
        store.locked(user.pk)
        store.keep_scaled(user.pk, sha256=sha256, data=data, media_type="image/png")
    held(user, canary)
    workspace.of(user.pk).write(f"{canary}.txt", canary.encode())
    sign_in(user, canary)
    be_noted(user, root=root)
    return user


def held(user: User, canary: str) -> None:
    turn = rows.begun(user, canary, cid="c-turn")
    use = {"type": "tool_use", "id": canary, "name": "write_file"}
    rows.kept(turn, {**use, "input": {"path": canary, "content": canary}})
    ToolCall.objects.filter(turn=turn).update(decided_by=user)
    Spend.objects.create(user=user, day=20260101, model="m")
    Budget.objects.create(user=user, period="day", tokens=1)
    preferences.change(user.pk, {"sendKey": "ctrl"})


def sign_in(user: User, canary: str) -> None:
    client = Client(headers={"user-agent": canary})
    client.force_login(user)
    assert client.get("/accounts/").status_code == 200
    tokens.make(user, name=canary)
    EmailAddress.objects.create(user=user, email=user.email)
    Authenticator.objects.create(user=user, type="totp", data={"secret": canary})
    user.groups.add(Group.objects.create(name="crew"))
    user.user_permissions.add(Permission.objects.all()[0])


def be_noted(user: User, *, root: User) -> None:
    kind = ContentType.objects.get_for_model(User)
    for by, of in ((root, user), (user, root)):
        Look.objects.create(
            staff=by, owner=of, staff_name=by.username, owner_name=of.username, cid="c-1", at=1
        )
        LogEntry.objects.create(
            user=by, content_type=kind, object_id=str(of.pk), object_repr=of.username,
            action_flag=CHANGE,
        )  # fmt: skip
    LogEntry.objects.create(
        user=root, content_type=kind, object_repr=f"day budget of {user}", action_flag=CHANGE
    )


def everything() -> dict[str, set[Any]]:
    """Return the primary keys of all rows of all models."""
    kinds = apps.get_models(include_auto_created=True)
    return {
        kind._meta.label: set(kind._default_manager.values_list("pk", flat=True)) for kind in kinds
    }


def pointing_at(user: User) -> dict[str, bool]:
    """Return, for every column that can name a user, whether one names this one."""
    return {
        f"{kind._meta.label}.{field.name}": kind._default_manager.filter(
            **{field.name: user.pk}
        ).exists()
        for kind in apps.get_models(include_auto_created=True)
        for field in kind._meta.get_fields()
        if isinstance(field, models.ForeignKey) and field.related_model is User
    }


class TestErasure:
    def test_leaves_of_all_models_the_notes_alone(self, canary: str, root: User) -> None:
        Group.objects.create(name="others")
        before = everything()
        user = live(canary, root=root)
        assert [name for name, named in pointing_at(user).items() if not named] == []

        erase_account(user, now=NOW)

        left = {name: pks - before[name] for name, pks in everything().items()}
        assert {name for name, pks in left.items() if pks} == {
            *("history.Look", "admin.LogEntry", "auth.Group")
        }
        now = everything()
        assert [name for name, pks in before.items() if pks - now[name]] == []
        assert not any(pointing_at(user).values())

    def test_leaves_looks_and_log_under_one_pseudonym(self, canary: str, root: User) -> None:
        user = live(canary, root=root)

        erase_account(user, now=NOW, by=root)

        seen, looked, erased = Look.objects.order_by("pk")
        name = seen.owner_name
        assert name.startswith("erased-")
        assert (seen.owner, seen.staff, seen.staff_name) == (None, root, "root")
        assert (looked.staff, looked.staff_name, looked.owner) == (None, name, root)
        assert (erased.cid, erased.staff_name, erased.owner_name, erased.at) == (
            *(ERASURE, "root", name, NOW),
        )
        assert [entry.object_repr for entry in LogEntry.objects.order_by("pk")] == [
            *(name, f"day budget of {name}")
        ]

    def test_leaves_no_word_in_rows_files_and_folders(self, canary: str, root: User) -> None:
        user = live(canary, root=root)
        assert canary in dumped()

        erase_account(user, now=NOW)
        flush_deleted(tables=("auth_user",))

        assert canary not in dumped()
        folder = Path(settings.KENNY_DATA_DIR)
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert [path for path in files if canary.encode() in path.read_bytes()] == []
        assert not [path for path in folder.rglob("*") if canary in path.name]
        if connection.vendor == "sqlite":
            assert any(b"bobs" in path.read_bytes() for path in files if "sqlite3" in path.name)

    def test_leaves_others_what_is_theirs(self, canary: str, root: User, bob: User) -> None:
        Api(bob).put("same", messages=[{"role": "user", "content": [shot(picture())]}])
        shown = Api(bob).get("same").body
        user = live(canary, root=root)
        client = Client()
        client.force_login(bob)

        erase_account(user, now=NOW)

        assert Api(bob).get("same").body == shown
        assert workspace.of(bob.pk).read("mine.txt", limit=9).data == b"bobs"
        assert client.get("/accounts/").status_code == 200

    def test_ends_sessions_that_no_list_has(self, canary: str) -> None:
        user = User.objects.create_user(canary)
        client = Client()
        client.force_login(user)
        UserSession.objects.all().delete()

        erase_account(user, now=NOW)

        assert not Session.objects.exists()
        assert client.get("/accounts/").status_code == 302

    def test_tells_open_pages_that_the_chats_are_gone(
        self, canary: str, root: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        user = live(canary, root=root)
        told: list[hooks.Change] = []
        monkeypatch.setattr(hooks, "changed", [told.append])

        erase_account(user, now=NOW)

        assert {change.cid for change in told if change.deleted} == {"c-1", "c-turn"}

    def test_that_fails_at_a_file_can_be_repeated(
        self, canary: str, root: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        user = live(canary, root=root)

        def fail(_user_id: int) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(hooks, "erase", [fail, *hooks.erase])
        with pytest.raises(CommandError, match="Permission denied"):
            call_command("erase_user", canary, yes=True)
        assert not User.objects.get(pk=user.pk).is_active
        assert not Conversation.objects.owned_by(user.pk).live().exists()
        hooks.erase.remove(fail)
        call_command("erase_user", canary, yes=True)

        assert canary not in dumped()

    def test_of_staff_by_themselves_names_nobody(self, canary: str) -> None:
        user = User.objects.create_user(canary, is_staff=True)

        erase_account(user, now=NOW, by=user)

        look = Look.objects.get()
        assert (look.staff, look.staff_name) == (None, "")

    def test_renames_whole_words_only(self, root: User) -> None:
        kind = ContentType.objects.get_for_model(User)
        for named in ("al", "alice", "token of al"):
            LogEntry.objects.create(
                user=root, content_type=kind, object_repr=named, action_flag=CHANGE
            )

        erasing.erase_account(User.objects.create_user("al"), now=NOW)

        name, other, token = LogEntry.objects.order_by("pk").values_list("object_repr", flat=True)
        assert (other, token) == ("alice", f"token of {name}")


class TestCommands:
    def test_carry_an_account_into_another(
        self, tmp_path: Path, bob: User, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "bob.zip"
        User.objects.create_user("new")
        User.objects.create_user("taken")
        Api(User.objects.get(username="taken")).put("c-1", title="mine")

        call_command("export_user", "bob", file)
        for name in ("new", "new", "taken"):
            call_command("import_user", name, file)

        assert file.stat().st_mode & 0o777 == 0o600
        said = capsys.readouterr().out
        assert "1 stored, 0 there already.\n0 stored, 1 there already.\nc-1 came in as i-" in said
        new = Api(User.objects.get(username="new"))
        assert new.get("c-1").body["messages"] == Api(bob).get("c-1").body["messages"]

    def test_refuse_what_they_cannot_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "there").write_bytes(b"no zip")

        for command, *words in (
            ("export_user", "nobody", tmp_path / "x"),
            ("export_user", "bob", tmp_path / "there"),
            ("import_user", "bob", tmp_path / "missing"),
            ("import_user", "bob", tmp_path / "there"),
            ("erase_user", "nobody"),
        ):
            with pytest.raises(CommandError):
                call_command(command, *words)
        monkeypatch.setattr("builtins.input", lambda _question: "bo")
        with pytest.raises(CommandError, match="Nothing"):
            call_command("erase_user", "bob")

        assert (tmp_path / "there").read_bytes() == b"no zip"
        assert User.objects.filter(username="bob").exists()

    def test_leave_no_half_a_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_args: Any, **_options: Any) -> Iterator[bytes]:
            yield b"PK"
            raise RuntimeError

        monkeypatch.setattr("kenny.management.commands.export_user.export", fail)

        with pytest.raises(RuntimeError):
            call_command("export_user", "bob", tmp_path / "x")

        assert not (tmp_path / "x").exists()

    def test_name_what_an_import_could_not_take(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "x.zip"
        file.write_bytes(packed(entries({"id": "c", "title": 7}, b"x", chat("ok"))))

        with pytest.raises(CommandError, match="2 could not"):
            call_command("import_user", "bob", file)

        shown = capsys.readouterr()
        assert "c: title must be" in shown.err
        assert "line 2: The line is not JSON." in shown.err
        assert "1 stored" in shown.out

    def test_erase_after_a_word(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("builtins.input", lambda _question: "bob")

        call_command("erase_user", "bob")

        assert not User.objects.filter(username="bob").exists()

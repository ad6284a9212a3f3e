"""Headers of every answer, and what follows from the base URL."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.server import ROOT

PAGE = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src 'self'",
    "manifest-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
}  # fmt: skip


def policy(answer: Any) -> set[str]:
    return set(answer["Content-Security-Policy"].split("; "))


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.mark.django_db
class TestPolicy:
    @pytest.mark.parametrize(
        "path", ["/", "/c/one", "/accounts/login/", "/accounts/", "/nothing", "/api/conversations"]
    )
    def test_of_pages_lets_nothing_in_and_no_string_become_nodes(
        self, staff: Client, path: str
    ) -> None:
        assert policy(staff.get(path)) == PAGE

    def test_of_the_admin_site_lacks_trusted_types_only(self, staff: Client) -> None:
        found = policy(staff.get("/admin/"))

        assert PAGE - found == {
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
            "img-src 'self' blob:",
        }
        assert found - PAGE == {"img-src 'self' data:"}

    def test_of_the_api_description_names_no_foreign_host(self, staff: Client) -> None:
        answer = staff.get("/api/docs")

        assert "http" not in answer["Content-Security-Policy"]
        assert "https://" not in answer.content.decode()


@pytest.mark.django_db
class TestEveryAnswer:
    @pytest.mark.parametrize(
        "path", ["/", "/accounts/login/", "/api/chat/pending", "/admin/", "/nothing"]
    )
    def test_says_how_it_may_be_used(self, staff: Client, path: str) -> None:
        answer = staff.get(path)

        assert "no-store" in answer["Cache-Control"]
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Referrer-Policy"] == "same-origin"
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer["X-Frame-Options"] == "DENY"
        assert "camera=()" in answer["Permissions-Policy"]


NAMES = (
    "KENNY_ORIGINS", "ALLOWED_HOSTS", "SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_NAME",
    "SECURE_HSTS_SECONDS", "KENNY_PROXIES",
)  # fmt: skip


def settings_under(folder: Path, **env: str) -> dict[str, Any]:
    """Return some settings of a process with this environment."""
    code = (
        "import json, kenny.settings as s;"
        f"print(json.dumps({{name: getattr(s, name) for name in {NAMES!r}}}))"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KENNY_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env={**kept, "KENNY_DATA_DIR": str(folder), **env}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class TestBaseUrl:
    def test_is_loopback_by_any_of_its_names_when_none_is_given(self, tmp_path: Path) -> None:
        found = settings_under(tmp_path, KENNY_PORT="8123")

        assert found["KENNY_ORIGINS"] == ["http://127.0.0.1:8123", "http://localhost:8123"]
        assert found["SESSION_COOKIE_SECURE"] is found["SECURE_SSL_REDIRECT"] is False

    def test_with_https_turns_on_what_https_allows(self, tmp_path: Path) -> None:
        found = settings_under(
            tmp_path, KENNY_BASE_URL="https://kenny.example, https://chat.example"
        )

        assert found["KENNY_ORIGINS"] == ["https://kenny.example", "https://chat.example"]
        assert found["ALLOWED_HOSTS"][:2] == ["kenny.example", "chat.example"]
        assert found["SESSION_COOKIE_NAME"] == "__Host-sessionid"
        assert found["SECURE_HSTS_SECONDS"] == 31_536_000
        assert found["SESSION_COOKIE_SECURE"] is found["SECURE_SSL_REDIRECT"] is True
        assert found["KENNY_PROXIES"] == 1

    def test_passes_djangos_deployment_check_without_a_silenced_warning(
        self, tmp_path: Path
    ) -> None:
        env = {
            **os.environ,
            "KENNY_DATA_DIR": str(tmp_path),
            "KENNY_BASE_URL": "https://kenny.example",
        }
        env.pop("KENNY_SECRET_KEY", None)

        done = subprocess.run(
            [sys.executable, "-W", "error", "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
            cwd=ROOT, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip

        assert (done.returncode, done.stderr) == (0, "")
        assert "0 silenced" in done.stdout

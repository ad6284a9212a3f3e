"""The shell of the client: who gets it, what it tells the modules."""

import json
import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from chat import limits


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada", password="x")


@pytest.fixture
def browser(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def config_of(html: str) -> dict[str, object]:
    found = re.search(
        r'<script id="config" type="application/json">(.*?)</script>', html, re.DOTALL
    )
    assert found is not None
    config: dict[str, object] = json.loads(found[1])
    return config


class TestPage:
    @pytest.mark.parametrize("path", ["/", "/c/c-1"])
    def test_sends_a_stranger_to_sign_in(self, client: Client, path: str) -> None:
        answer = client.get(path)

        assert answer.status_code == 302
        assert answer["Location"] == f"/accounts/login/?next={path}"

    @pytest.mark.parametrize("path", ["/", "/c/c-1", "/c/never-existed"])
    def test_is_the_same_shell_for_every_conversation(self, browser: Client, path: str) -> None:
        answer = browser.get(path)

        assert answer.status_code == 200
        assert '<main id="main">' in answer.content.decode()

    def test_tells_the_modules_whose_page_it_is(self, browser: Client, ada: User) -> None:
        config = config_of(browser.get("/").content.decode())

        assert config["account"] == str(ada.pk)
        assert config["username"] == "ada"
        assert config["static"] == settings.STATIC_URL
        assert config["limits"] == limits.published()
        assert config["csrf"]

    def test_shows_the_way_to_the_admin_site_to_staff_alone(
        self, browser: Client, ada: User
    ) -> None:
        without = browser.get("/").content.decode()
        ada.is_staff = True
        ada.save()

        assert 'href="/admin/"' not in without
        assert 'href="/admin/"' in browser.get("/").content.decode()

    def test_has_no_inline_script_and_no_inline_style(self, browser: Client) -> None:
        html = browser.get("/").content.decode()

        scripts = re.findall(r"<script[^>]*>", html)
        assert all("src=" in tag or "application/json" in tag for tag in scripts)
        assert not re.search(r"\sstyle=|<style|\son\w+=", html)

    def test_preloads_every_module_but_the_first(self, browser: Client) -> None:
        html = browser.get("/").content.decode()

        loaded = set(re.findall(r'modulepreload" href="([^"]+)"', html))
        assert f"{settings.STATIC_URL}chat/core/turn.js" in loaded
        assert f"{settings.STATIC_URL}chat/main.js" not in loaded
        assert f'src="{settings.STATIC_URL}chat/main.js"' in html

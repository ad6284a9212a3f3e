"""Static files: one digest for the tree, kept for ever by browsers."""

from pathlib import Path

from django.conf import settings
from django.templatetags.static import static
from django.test import Client

from kenny.static import digest


class TestDigest:
    def test_changes_with_a_byte_and_with_a_name(self, tmp_path: Path) -> None:
        (tmp_path / "a.js").write_text("1")
        first = digest([tmp_path])
        (tmp_path / "a.js").write_text("2")
        second = digest([tmp_path])
        (tmp_path / "a.js").rename(tmp_path / "b.js")

        assert len({first, second, digest([tmp_path])}) == 3

    def test_stays_while_nothing_changes(self, tmp_path: Path) -> None:
        (tmp_path / "a.js").write_text("1")

        assert digest([tmp_path]) == digest([tmp_path])


class TestServing:
    def test_gives_files_of_all_apps_below_the_digest_for_ever(self, client: Client) -> None:
        for name in ("kenny/theme.css", "admin/css/base.css"):
            answer = client.get(static(name))

            assert answer.status_code == 200
            assert "immutable" in answer["Cache-Control"]
            assert answer["Content-Type"].startswith("text/css")

    def test_gives_nothing_below_another_digest(self, client: Client) -> None:
        assert client.get("/static/0000000000000000/kenny/theme.css").status_code == 404
        assert settings.STATIC_URL.count("/") == 3

"""Static files: one digest for the tree, kept for ever by browsers."""

import gzip
from pathlib import Path

import pytest
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


class TestCompression:
    @pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "deflate , GZIP ; q=1"])
    def test_sends_words_smaller_and_equal(self, client: Client, accepted: str) -> None:
        whole = client.get(static("chat/main.js"))
        small = client.get(static("chat/main.js"), headers={"Accept-Encoding": accepted})

        assert small["Content-Encoding"] == "gzip"
        assert gzip.decompress(small.content) == whole.content
        assert int(small["Content-Length"]) == len(small.content) < len(whole.content) / 2
        assert small["Vary"] == whole["Vary"] == "Accept-Encoding"
        assert small["Content-Type"] == whole["Content-Type"]
        assert small.get("ETag", "W/").startswith("W/")

    @pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip; q=0.0", "x-gzip"])
    def test_is_left_out_where_it_is_not_taken(self, client: Client, accepted: str) -> None:
        answer = client.get(static("chat/main.js"), headers={"Accept-Encoding": accepted})

        assert "Content-Encoding" not in answer
        assert answer.content.startswith(b"//")

    def test_leaves_parts_of_a_file_and_pictures_alone(self, client: Client) -> None:
        wanted = {"Accept-Encoding": "gzip"}
        part = client.get(static("chat/main.js"), headers={**wanted, "Range": "bytes=0-99"})
        icon = client.get(static("admin/img/icon-yes.svg"), headers=wanted)

        assert (part.status_code, len(part.content)) == (206, 100)
        assert "Content-Encoding" not in part
        assert "Content-Encoding" not in icon

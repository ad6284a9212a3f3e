"""Typed reads of the environment."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from kenny import environment

NAME = "KENNY_TESTED"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv(NAME, raising=False)
    environment._env.ENVIRON.files_cache.clear()
    return monkeypatch


class TestText:
    def test_takes_an_empty_value_for_none(self, given: pytest.MonkeyPatch) -> None:
        given.setenv(NAME, " ")

        assert environment.text(NAME, default="a") == "a"

    def test_leaves_a_dollar_alone(self, given: pytest.MonkeyPatch) -> None:
        given.setenv(NAME, "$word")

        assert environment.text(NAME) == "$word"

    def test_reads_a_file_without_its_last_line_break(
        self, given: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        path = tmp_path / "value"
        path.write_text("from the file\n")
        given.setenv(f"{NAME}_FILE", str(path))

        assert environment.text(NAME) == "from the file"

    def test_names_the_variable_of_a_missing_file(self, given: pytest.MonkeyPatch) -> None:
        given.setenv(f"{NAME}_FILE", "/nowhere")

        with pytest.raises(
            ImproperlyConfigured, match=f"^{NAME}_FILE names a file that cannot be read.$"
        ):
            environment.text(NAME)


class TestNumber:
    @pytest.mark.parametrize("value", ["0", "65536", "-1", "1_0", "٣", "8000.0", "9" * 30, "x"])
    def test_refuses_what_is_no_whole_number_of_the_range(
        self, given: pytest.MonkeyPatch, value: str
    ) -> None:
        given.setenv(NAME, value)

        with pytest.raises(ImproperlyConfigured, match="whole number from 1 to 65535"):
            environment.number(NAME, default=1, least=1, most=65535)


class TestFlag:
    @pytest.mark.parametrize(
        ("value", "means"), [("True", True), ("on", True), ("0", False), ("No", False)]
    )
    def test_reads_the_usual_words(
        self,
        given: pytest.MonkeyPatch,
        value: str,
        means: bool,  # noqa: FBT001  a case
    ) -> None:
        given.setenv(NAME, value)

        assert environment.flag(NAME, default=not means) is means

    def test_refuses_any_other(self, given: pytest.MonkeyPatch) -> None:
        given.setenv(NAME, "maybe")

        with pytest.raises(ImproperlyConfigured, match=NAME):
            environment.flag(NAME, default=True)


class TestOrigins:
    @pytest.mark.parametrize(
        ("value", "origins"),
        [
            ("https://Kenny.Example/", ["https://kenny.example"]),
            ("https://kenny.example:443", ["https://kenny.example"]),
            ("http://kenny.example:8080", ["http://kenny.example:8080"]),
            ("http://[::1]:8000", ["http://[::1]:8000"]),
            ("https://a.example, http://b.example", ["https://a.example", "http://b.example"]),
        ],
    )
    def test_are_what_a_browser_sends(
        self, given: pytest.MonkeyPatch, value: str, origins: list[str]
    ) -> None:
        given.setenv(NAME, value)

        assert environment.origins(NAME, default="http://x") == origins

    @pytest.mark.parametrize(
        "value", ["kenny.example", "ftp://kenny.example", "https://", "https://u@kenny.example", "https://k/chat",
                  "https://kenny.example:port", "https://k?x"]
    )  # fmt: skip
    def test_refuse_what_is_none(self, given: pytest.MonkeyPatch, value: str) -> None:
        given.setenv(NAME, value)

        with pytest.raises(ImproperlyConfigured, match=f"^{NAME} must be a URL"):
            environment.origins(NAME, default="http://x")


class TestDatabase:
    def test_is_a_sqlite_file_by_default(self, given: pytest.MonkeyPatch) -> None:
        assert environment.database(NAME, default=Path("/data/k")) == {
            "ENGINE": environment.ENGINES[1],
            "NAME": "/data/k",
        }

    def test_reads_a_postgresql_url_with_odd_characters(self, given: pytest.MonkeyPatch) -> None:
        given.setenv(NAME, "postgres://me:p%40ss@db:6432/kenny?sslmode=require")

        found = environment.database(NAME, default=Path("x"))

        assert (found["HOST"], found["PORT"], found["PASSWORD"]) == ("db", 6432, "p@ss")
        assert found["OPTIONS"] == {"sslmode": "require"}

    @pytest.mark.parametrize(
        "value", ["mysql://a/b", "kenny.sqlite3", "postgres://me@db:x/kenny", "postgres://db"]
    )
    def test_refuses_other_databases(self, given: pytest.MonkeyPatch, value: str) -> None:
        given.setenv(NAME, value)

        with pytest.raises(ImproperlyConfigured, match=f"^{NAME} must look like"):
            environment.database(NAME, default=Path("x"))

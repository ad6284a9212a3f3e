"""What the log never holds."""

import logging

import pytest

from kenny.logs import OneLine, redact

TOKEN = "kny_0123456789abcdef0123456789abcdef"
KEY = "sk-ant-api03-AbCdEf_123-xyz"


class TestRedact:
    @pytest.mark.parametrize(
        ("text", "secret"),
        [
            (f"Authorization: Bearer {TOKEN}", TOKEN),
            ("authorization: bearer abcdefghijkl", "abcdefghijkl"),
            ("{'Authorization': 'Basic dXNlcjpwYXNz'}", "dXNlcjpwYXNz"),
            (f"key {KEY} refused", KEY),
            (f"token={TOKEN}&x=1", TOKEN),
            ("Cookie: sessionid=abc123def; csrftoken=zzz999", "abc123def"),
            ("Cookie: sessionid=abc123def; csrftoken=zzz999", "zzz999"),
            ("__Host-sessionid=abc123def", "abc123def"),
            ('{"password": "hunter22"}', "hunter22"),
            ("password1=hunter22&password2=hunter22", "hunter22"),
            ("'api_key': 'hunter22'", "hunter22"),
            ("GET /accounts/setup/AbC-123/ 200", "AbC-123"),
            ("GET /accounts/password/reset/key/1-abc-def/ 200", "1-abc-def"),
            ("postgres://kenny:hunter22@db/kenny", "hunter22"),
        ],
    )
    def test_hides_the_secret(self, text: str, secret: str) -> None:
        assert secret not in redact(text)

    @pytest.mark.parametrize(
        "text",
        [
            "GET /api/conversations 200 17 bytes",
            "the token of alice",
            "bearer of news",
            "kenny is at http://127.0.0.1:8000",
        ],
    )
    def test_leaves_the_rest_alone(self, text: str) -> None:
        assert redact(text) == text

    def test_is_quick_on_long_hostile_text(self) -> None:
        for text in ("cookie" * 50_000, "a:" * 100_000, "://" + "a" * 200_000, "password" * 50_000):
            redact(text)


class TestOneLine:
    def test_puts_a_traceback_on_one_line_without_its_secrets(self) -> None:
        error = ValueError(f"refused {KEY}\nfor good")
        record = logging.LogRecord(
            "a", logging.ERROR, "", 0, "it\nfailed", (), (ValueError, error, None)
        )

        line = OneLine("%(levelname)s %(message)s").format(record)

        assert "\n" not in line
        assert line.startswith("ERROR it\\nfailed")
        assert KEY not in line
        assert "ValueError" in line

"""What of a path stands in the log."""

import pytest

from kenny.paths import shown


class TestShown:
    @pytest.mark.parametrize(
        ("path", "told"),
        [
            ("/", "/"),
            ("/api/conversations", "/api/conversations"),
            ("/api/conversations?q=secret", "/api/conversations"),
            ("/api/conversations/secret", "/api/conversations/…"),
            ("/api/conversations/secret/images/abc", "/api/conversations/…/images/…"),
            ("/api/chat/turns/secret/stop", "/api/chat/turns/…/stop"),
            ("/c/secret", "/c/…"),
            ("/static/0a1b/chat/main.js", "/static/…/chat/…"),
            ("/accounts/setup/token/", "/accounts/setup/…/"),
            ("/admin/chat/turn/7/change/", "/admin/chat/turn/…/change/"),
            ("/secret", "/…"),
            ("/api/secret\n/x", "/api/…/…"),
            ("/ws/chat", "/ws/chat"),
            ("/" + "a/" * 99, "/" + "/".join("…" * 12)),
        ],
    )
    def test_is_the_words_of_our_own_routes(self, path: str, told: str) -> None:
        assert shown(path) == told

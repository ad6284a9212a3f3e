"""What each database is told."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from kenny import databases

POSTGRES = {"ENGINE": "django.db.backends.postgresql", "NAME": "kenny"}


class TestConfigured:
    def test_gives_postgresql_a_pool_and_time_limits_and_keeps_the_urls_options(self) -> None:
        found = databases.configured({**POSTGRES, "OPTIONS": {"sslmode": "require"}}, pool=12)

        assert found["CONN_MAX_AGE"] == 0
        assert found["CONN_HEALTH_CHECKS"] is True
        assert found["OPTIONS"]["pool"]["max_size"] == 12
        assert found["OPTIONS"]["sslmode"] == "require"
        for limit in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
            assert limit in found["OPTIONS"]["options"]


@pytest.mark.django_db
class TestCheck:
    """The real start runs it on a real file; here the database is in memory, where one pragma is as good as another."""

    @pytest.mark.parametrize("must", [0, 1])
    def test_finds_a_pragma_that_does_not_hold(
        self, monkeypatch: pytest.MonkeyPatch, must: int
    ) -> None:
        monkeypatch.setattr(databases, "SQLITE_MUST", {"foreign_keys": must})

        if must or connection.vendor != "sqlite":
            databases.check()
        else:
            with pytest.raises(
                ImproperlyConfigured, match="SQLite does not run with foreign_keys=0"
            ):
                databases.check()

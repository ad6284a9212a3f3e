"""What all tests share: which services are there, and that nothing is skipped where all of them must be."""

import os
import shutil
import socket
from collections.abc import Generator

import pytest
from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, nothing about kenny.
settings.register_profile("kenny", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kenny")

pytest_plugins = ["tests.support.emptying"]
NEEDS = {
    "postgres": "needs a PostgreSQL server on 127.0.0.1:5432",
    "redis": "needs a Redis server on 127.0.0.1:6379",
    "browser": "needs Chromium",
}
SLOW = {"e2e", "browser", "contract", "kenny", "test_store_machine.py", "test_h_processes.py"}
REQUIRE_ALL = os.environ.get("KENNY_REQUIRE_ALL") == "1"
FORBIDDEN = "nothing may be skipped where KENNY_REQUIRE_ALL=1: "


@pytest.fixture(autouse=True)
def _no_stale_content_types() -> None:
    """Forget ids of content types: a test that commits empties their table, and they come back under others."""
    ContentType.objects.clear_cache()


@pytest.fixture
def permissions(db: None) -> None:
    """Have Django's permissions in the database: a test that commits may have emptied their table."""
    if not Permission.objects.exists():
        for config in apps.get_app_configs():
            create_permissions(config, verbosity=0)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _present() -> dict[str, bool]:
    return {
        "postgres": _listens(5432),
        "redis": _listens(6379),
        "browser": any(map(shutil.which, ("chromium-headless-shell", "chromium"))),
    }


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, aloud, what needs a service that is not here; `long` runs only when asked for.

    Files that start servers and browsers come first (in the random order they have): on two cores a slow file that
    begins last keeps one core waiting.
    """
    items.sort(key=lambda item: not any(part in SLOW for part in item.path.parts))
    present = _present()
    for item in items:
        for marker, reason in NEEDS.items():
            if item.get_closest_marker(marker) and not present[marker]:
                item.add_marker(pytest.mark.skip(reason=reason))
        if item.get_closest_marker("long") and os.environ.get("KENNY_LONG") != "1":
            item.add_marker(pytest.mark.skip(reason="a soak, run with KENNY_LONG=1"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure where all services must be there."""
    report = yield
    if REQUIRE_ALL and report.skipped and not item.get_closest_marker("long"):
        report.outcome = "failed"
        report.longrepr = FORBIDDEN + str(report.longrepr)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a whole file into a failure as well."""
    report = yield
    if REQUIRE_ALL and report.skipped:
        report.outcome = "failed"
        report.longrepr = FORBIDDEN + str(report.longrepr)
    return report

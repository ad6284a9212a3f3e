"""From an exception to the contract's error body."""

import logging
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions

from history.api import answer, exception_handler
from history.errors import Busy, RateLimited
from tests.history.conftest import Api


def challenged() -> exceptions.NotAuthenticated:
    refused = exceptions.NotAuthenticated()
    refused.auth_header = "Bearer"  # type: ignore[attr-defined]  # DRF sets it just so
    return refused


class TestExceptionHandler:
    @pytest.mark.parametrize(
        ("fault", "status", "code", "headers"),
        [
            (Busy(turnId="t"), 409, "busy", {}),
            (exceptions.NotAuthenticated(), 401, "unauthenticated", {}),
            (challenged(), 401, "unauthenticated", {"WWW-Authenticate": "Bearer"}),
            (exceptions.AuthenticationFailed("token abc"), 401, "unauthenticated", {}),
            (exceptions.PermissionDenied(), 403, "forbidden", {}),
            (PermissionDenied(), 403, "forbidden", {}),
            (Http404(), 404, "not_found", {}),
            (exceptions.NotFound(), 404, "not_found", {}),
            (exceptions.MethodNotAllowed("PUT"), 405, "bad_request", {}),
            (RequestDataTooBig(), 413, "too_large", {}),
            (exceptions.UnsupportedMediaType("text/x"), 400, "bad_request", {}),
            (exceptions.ParseError("secret"), 400, "bad_request", {}),
            (exceptions.ValidationError({"title": "secret"}), 400, "bad_request", {}),
            (SuspiciousOperation("secret"), 400, "bad_request", {}),
            (exceptions.Throttled(wait=2.1), 429, "rate_limited", {"Retry-After": "3"}),
            (exceptions.Throttled(), 429, "rate_limited", {"Retry-After": "1"}),
            (RateLimited(retryAfter=7), 429, "rate_limited", {"Retry-After": "7"}),
            (OperationalError("database is locked"), 503, "unavailable", {"Retry-After": "1"}),
        ],
    )
    def test_gives_each_fault_its_code(
        self, fault: Exception, status: int, code: str, headers: dict[str, str]
    ) -> None:
        got = exception_handler(fault, {})

        error: dict[str, Any] = got.data["error"]
        assert (got.status_code, error["code"]) == (status, code)
        assert error["message"]
        assert "secret" not in str(got.data)
        assert "abc" not in str(got.data)
        assert "locked" not in str(got.data)
        assert {name: got.headers[name] for name in headers} == headers

    def test_logs_what_nobody_foresaw_and_says_nothing_of_it(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.ERROR):
            got = exception_handler(RuntimeError("SELECT secret"), {})

        assert (got.status_code, got.data["error"]["code"]) == (500, "internal")
        assert "secret" not in str(got.data)
        assert "unforeseen fault" in caplog.text
        assert "RuntimeError" in caplog.text

    def test_puts_facts_beside_code_and_message(self) -> None:
        assert answer(Busy("busy", turnId="t")).data == {
            "error": {"code": "busy", "message": "busy", "turnId": "t"}
        }


class TestTrouble:
    def test_with_the_database_is_unavailable(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_args: Any, **_kwargs: Any) -> None:
            raise OperationalError("database is locked")

        monkeypatch.setattr("history.store.find", fail)

        answered = api.get("c-1")

        assert (answered.status_code, answered.body["error"]["code"]) == (503, "unavailable")

"""Each fault gets its kind by what the API says of itself, and one sentence that a person understands."""

import httpx2
import pytest

from chat.llm import failures
from chat.llm.failures import Cause, Fault, NotTheApi, cause_of, cause_of_local, seconds_to_wait
from chat.llm.wire import Malformed

ALL_CAUSES = [value for value in vars(failures).values() if isinstance(value, Cause)]


class TestCauseOf:
    @pytest.mark.parametrize("status", [200, 400, 500, 529])
    @pytest.mark.parametrize(
        ("kind", "wanted"),
        [
            ("overloaded_error", "transient"),
            ("api_error", "transient"),
            ("timeout_error", "transient"),
            ("conflict_error", "transient"),
            ("rate_limit_error", "rate_limited"),
            ("authentication_error", "refused_key"),
            ("permission_error", "refused_key"),
            ("not_found_error", "refused_key"),
            ("billing_error", "no_credit"),
            ("request_too_large", "too_long"),
            ("invalid_request_error", "invalid"),
        ],
    )
    def test_goes_by_the_type_whatever_the_status_t45_t49_t50(
        self, kind: str, wanted: str, status: int
    ) -> None:
        """The same fault as a response and in a stream."""
        assert cause_of(status=status, kind=kind, code=None, prose="").kind == wanted

    @pytest.mark.parametrize(
        ("kind", "code", "wanted"),
        [
            ("rate_limit_error", "ramp_limit_exceeded", failures.RATE),
            ("rate_limit_error", "contract_spend_limit_reached", failures.CREDIT),
            ("rate_limit_error", "enforced_spend_limit_reached", failures.CREDIT),
            ("invalid_request_error", "image_dimensions_too_large", failures.IMAGE),
            ("invalid_request_error", "organization_on_hold", failures.NOT_ALLOWED),
            ("rate_limit_error", "from_the_future", failures.RATE),
        ],
    )
    def test_goes_by_the_code_first(self, kind: str, code: str, wanted: Cause) -> None:
        assert cause_of(status=429, kind=kind, code=code, prose="") is wanted

    @pytest.mark.parametrize(
        ("prose", "wanted"),
        [
            ("prompt is too long: 212345 tokens > 200000 maximum", failures.LONG),
            ("messages.3.content.0: Invalid `signature` in `thinking` block.", failures.BOUND),
            ("The block is bound to a different conversation", failures.BOUND),
            (
                "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
                failures.BOUND,
            ),
            ("Your credit balance is too low to access the Anthropic API", failures.CREDIT),
            ("messages: text content blocks must be non-empty", failures.INVALID),
            ("", failures.INVALID),
        ],
    )
    def test_reads_the_prose_of_a_400_only_where_nothing_else_tells(
        self, prose: str, wanted: Cause
    ) -> None:
        assert cause_of(status=400, kind="invalid_request_error", code=None, prose=prose) is wanted
        assert cause_of(status=500, kind="api_error", code=None, prose=prose) is failures.UPSTREAM

    @pytest.mark.parametrize(
        ("status", "wanted"),
        [
            (401, failures.KEY), (402, failures.CREDIT), (403, failures.NOT_ALLOWED), (404, failures.NOT_THE_API),
            (408, failures.TIMED_OUT), (413, failures.LARGE), (418, failures.INVALID), (429, failures.RATE),
            (500, failures.UPSTREAM), (502, failures.UPSTREAM), (504, failures.TIMED_OUT), (520, failures.UPSTREAM),
            (529, failures.OVERLOADED), (200, failures.UPSTREAM),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("kind", [None, 7, "from_the_future"])
    def test_goes_by_the_status_when_there_is_no_type(
        self, status: int, wanted: Cause, kind: object
    ) -> None:
        assert cause_of(status=status, kind=kind, code=7, prose="<html>") is wanted


class TestCauseOfLocal:
    @pytest.mark.parametrize(
        ("error", "wanted"),
        [
            (httpx2.ConnectError("x"), failures.UNREACHABLE),
            (httpx2.ConnectTimeout("x"), failures.UNREACHABLE),
            (httpx2.ProxyError("x"), failures.UNREACHABLE),
            (httpx2.ReadTimeout("x"), failures.TIMED_OUT),
            (httpx2.PoolTimeout("x"), failures.TIMED_OUT),
            (TimeoutError(), failures.TIMED_OUT),
            (httpx2.UnsupportedProtocol("x"), failures.NOT_THE_API),
            (httpx2.InvalidURL("x"), failures.NOT_THE_API),
            (NotTheApi(), failures.NOT_THE_API),
            (httpx2.LocalProtocolError("x"), failures.KEY),
            (UnicodeEncodeError("utf-8", "x", 0, 1, "x"), failures.INVALID),
            (ValueError("Out of range float values are not JSON compliant"), failures.INVALID),
            (httpx2.ReadError("x"), failures.BROKEN),
        ],
    )
    def test_tells_apart_what_keeps_a_request_from_being_answered(
        self, error: Exception, wanted: Cause
    ) -> None:
        assert cause_of_local(error, begun=False) is wanted

    @pytest.mark.parametrize(
        "error",
        [
            httpx2.ReadError("x"),
            httpx2.RemoteProtocolError("x"),
            httpx2.StreamClosed(),
            Malformed("x"),
        ],
    )
    def test_calls_an_answer_that_broke_off_broken(self, error: Exception) -> None:
        assert cause_of_local(error, begun=True) is failures.BROKEN


class TestCauses:
    @pytest.mark.parametrize("cause", ALL_CAUSES, ids=lambda cause: cause.code)
    def test_say_one_thing_in_a_sentence_or_two(self, cause: Cause) -> None:
        assert cause.message.endswith(".")
        assert cause.message.count(". ") <= 1
        assert len(cause.message) < 140

    def test_have_codes_of_their_own(self) -> None:
        assert len({cause.code for cause in ALL_CAUSES}) == len(ALL_CAUSES)

    def test_become_what_the_loop_is_told(self) -> None:
        failed = Fault(cause=failures.RATE, request_id="req_1", retry_after=7).failure(
            request_id="req_0"
        )

        assert (failed.kind, failed.code, failed.request_id, failed.retry_after) == (
            "rate_limited",
            "rate_limited",
            "req_1",
            7,
        )
        assert failed.retryable
        assert str(failed) == failures.RATE.message

    def test_take_the_request_id_of_the_attempt_when_they_have_none(self) -> None:
        assert Fault(cause=failures.KEY).failure(request_id="req_0").request_id == "req_0"


class TestSecondsToWait:
    @pytest.mark.parametrize(
        ("headers", "wanted"),
        [
            ({}, None),
            ({"retry-after": "5"}, 5.0),
            ({"retry-after": "0.5"}, 0.5),
            ({"retry-after": "4294967"}, 4294967.0),
            ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
            ({"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT"}, 20.0),
            ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
            ({"retry-after": "soon"}, None),
            ({"retry-after": "-1"}, None),
            ({"retry-after": "inf"}, None),
            ({"retry-after": "nan"}, None),
        ],
    )
    def test_reads_seconds_milliseconds_and_dates(
        self, headers: dict[str, str], wanted: float | None
    ) -> None:
        assert seconds_to_wait(headers, now=100.0) == wanted

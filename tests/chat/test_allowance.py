"""A bucket that fills by time."""

from hypothesis import given
from hypothesis import strategies as st

from chat.allowance import Allowance


class TestAllowance:
    def test_gives_its_burst_at_once_and_no_more(self) -> None:
        allowance = Allowance(rate=1, burst=3)

        assert [allowance.take(10.0) for _ in range(4)] == [True, True, True, False]

    def test_fills_by_time(self) -> None:
        allowance = Allowance(rate=2, burst=1)
        assert allowance.take(10.0)

        assert not allowance.take(10.4)
        assert allowance.take(10.9)

    def test_never_holds_more_than_its_burst(self) -> None:
        allowance = Allowance(rate=100, burst=2)
        allowance.take(0.0)

        assert [allowance.take(1e6) for _ in range(3)] == [True, True, False]

    @given(st.lists(st.floats(0, 5), min_size=1, max_size=60))
    def test_never_gives_more_than_rate_and_burst_allow(self, gaps: list[float]) -> None:
        allowance = Allowance(rate=3, burst=4)
        now = given = 0.0
        for gap in gaps:
            now += gap
            given += allowance.take(now)

        assert given <= 4 + 3 * (sum(gaps)) + 1e-6

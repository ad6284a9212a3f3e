"""Days and months of UTC: when one began, and when the next begins. Pure; times are ms since 1970."""

from datetime import UTC, datetime, timedelta


def day_of(now: int) -> int:
    """Return the day as an integer like 20261130."""
    return int(f"{_moment(now):%Y%m%d}")


def first_day(period: str, *, now: int) -> int:
    """Return the first day of the period ("day" or "month") that `now` lies in."""
    return day_of(now) if period == "day" else int(f"{_moment(now):%Y%m}01")


def opens_at(period: str, *, now: int) -> int:
    """Return when the next period begins."""
    midnight = _moment(now).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "day":
        begins = midnight + timedelta(days=1)
    else:
        begins = (midnight.replace(day=1) + timedelta(days=32)).replace(day=1)
    return int(begins.timestamp()) * 1000


def written(moment: int) -> str:
    return f"{_moment(moment):%Y-%m-%d %H:%M} UTC"


def _moment(now: int) -> datetime:
    return datetime.fromtimestamp(now // 1000, tz=UTC)

"""How fast a client may be: a bucket that fills by time. Pure."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Allowance:
    """`rate` a second, `burst` at once; `now` in seconds of any clock that only goes forward."""

    rate: float
    burst: float
    _left: float = field(init=False)
    _at: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._left = self.burst

    def take(self, now: float) -> bool:
        """Return whether one more is allowed now."""
        elapsed = now - self._at if self._at is not None else 0.0
        self._at = now
        self._left = min(self.burst, self._left + elapsed * self.rate)
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

"""One record, one line, no secret: what every log handler formats with."""

import logging
import re
import traceback
from typing import Any

from kenny import paths

CAUSES = 8
HIDDEN = "[hidden]"
NOISY = ("anthropic", "httpx2", "httpcore2", "mcp", "markdown_it", "PIL", "asyncio")

_SECRETS = re.compile(
    r"""
      (?P<keep>
          \b(?:bearer|basic|token)\s+ (?=\S{8})                      # Authorization: Bearer …
        | \b(?:set-)?cookie["']?\s*[:=]\s*["']?                      # Cookie: …
        | \b(?:\w*sessionid|csrftoken|csrfmiddlewaretoken)["']?\s*[:=]\s*["']?
        | ["']?\b\w*(?:password\d?|passwd|secret|api[_-]?key)["']?\s*[:=]\s*["']?
        | /accounts/setup/ | /accounts/password/reset/key/
        | ://[^\s/:@]+:(?=[^\s/@]+@)                                 # scheme://user:…@host
      )
      (?P<hide>[^\s"'&,;}\])@]+)
    | (?P<bare>\b(?:sk-ant-|kny_)[\w-]{4,})
    """,
    re.IGNORECASE | re.VERBOSE,
)


def redact(text: str) -> str:
    """Return the text with tokens, keys, cookies, passwords and one-time links replaced."""
    return _SECRETS.sub(lambda found: (found["keep"] or "") + HIDDEN, text)


class OneLine(logging.Formatter):
    """Format a record with its traceback as one line without secrets, and without what a client or a model said.

    An exception's own words may repeat what stood in a body, a header or a row, so only its type and place are told.
    """

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record)).replace("\r", "\\r").replace("\n", "\\n")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's name
        """Tell of a request by the shape of its path; of what Django finds suspicious, only which kind it is."""
        request = getattr(record, "request", None)
        if request is not None:
            kind = f"{record.levelname.lower()} {getattr(record, 'status_code', '')}".strip()
            record.message = f"{kind}: {request.method} {paths.shown(request.path)}"
        elif record.name.startswith("django.security"):
            record.message = "a suspicious request"
        elif record.name == "asyncio":
            record.message = record.message.partition("\n")[
                0
            ]  # the rest shows objects and their errors
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802  logging's name
        """Return types and places of an exception and of what it came from, the first cause first."""
        told: list[str] = []
        error = ei[1]
        while error is not None and len(told) < CAUSES:
            frames = traceback.extract_tb(error.__traceback__)
            places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
            told.append(" < ".join([type(error).__qualname__, *reversed(places)]))
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "Traceback: " + " | after ".join(told)


def config(*, debug: bool) -> dict[str, object]:
    """Return Django's LOGGING: everything to standard error through `OneLine`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"()": OneLine, "format": "%(asctime)s %(levelname)s %(name)s %(message)s"}
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            # Django's own handlers mail tracebacks and print requests a second time.
            "django": {"handlers": [], "level": "DEBUG" if debug else "INFO", "propagate": True},
            # Refusals stand in the access log.
            "django.request": {"level": "ERROR"},
            "django.server": {"handlers": [], "propagate": True},
            "django.db.backends": {"level": "INFO"},
            "django.template": {"level": "INFO"},
            "django.utils.autoreload": {"level": "INFO"},
            "daphne": {"level": "WARNING"},
            **{name: {"level": "WARNING"} for name in NOISY},
        },
    }

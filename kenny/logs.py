"""One record, one line, no secret: what every log handler formats with."""

import logging
import re

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
    """Format a record with its traceback as one line without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record)).replace("\r", "\\r").replace("\n", "\\n")


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

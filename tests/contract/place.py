"""Where the contract is tried: a running server that the environment names, or one of our own."""

import http.client
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.support.http import Client

URL = os.environ.get("KENNY_CONTRACT_URL", "")
TOKEN = os.environ.get("KENNY_CONTRACT_TOKEN", "")
OTHER_TOKEN = os.environ.get("KENNY_CONTRACT_OTHER_TOKEN", "")
MAY_DELETE_ALL = not URL or os.environ.get("KENNY_CONTRACT_DESTRUCTIVE") == "1"


@dataclass(frozen=True, slots=True)
class Caller(Client):
    """A REST client of the server at `base` (scheme://host[:port])."""

    base: str = ""

    def connection(self, *, timeout: float) -> http.client.HTTPConnection:
        parts = urlsplit(self.base)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        return kind(parts.hostname or "", parts.port, timeout=timeout)

    def without_token(self) -> "Caller":
        return Caller(self.port, base=self.base)

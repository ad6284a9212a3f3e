"""HTTP as an outside program speaks it: one connection a request, no cookie jar, no redirect followed."""

import contextlib
import http.client
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def text(self) -> str:
        return self.content.decode()


@dataclass(frozen=True, slots=True)
class Client:
    """A REST client: with a token, without one, or with headers of its own (a cookie)."""

    port: int
    token: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def connection(self, *, timeout: float) -> http.client.HTTPConnection:
        """Return a new connection, not yet opened."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def request(self, method: str, path: str, body: Any = None, /, **headers: str) -> Answer:
        """Send one request. A `body` that is not bytes goes as JSON; `x_y="…"` becomes the header X-Y."""
        sent = {
            **self.headers,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        if self.token:
            sent["authorization"] = f"Bearer {self.token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("content-type", "application/json")
        connection = self.connection(timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, _merged(answer.getheaders()), answer.read())

    def get(self, path: str, /, **headers: str) -> Answer:
        return self.request("GET", path, **headers)

    def post(self, path: str, body: Any = None, /, **headers: str) -> Answer:
        return self.request("POST", path, body, **headers)


def _merged(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return headers by lower-case name; several of one name (Set-Cookie) are joined by a comma."""
    found: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def sign_in(port: int, name: str, *, password: str, agent: str = "") -> Client:
    """Return a client whose cookies are those of a fresh session; raises AssertionError when refused.

    `agent` is the browser that the session is said to be of.
    """
    form = Client(port).get("/accounts/login/")
    csrf = cookies_of(form)["csrftoken"]
    answer = Client(port).post(
        "/accounts/login/",
        f"csrfmiddlewaretoken={csrf}&login={name}&password={password.replace(' ', '+')}".encode(),
        content_type="application/x-www-form-urlencoded",
        cookie=f"csrftoken={csrf}",
        user_agent=agent,
    )
    assert answer.status == 302, f"sign-in answered {answer.status}"
    jar = cookies_of(answer)
    return Client(
        port,
        headers={
            "cookie": f"sessionid={jar['sessionid']}; csrftoken={jar['csrftoken']}",
            "x-csrftoken": jar["csrftoken"],
            "origin": f"http://127.0.0.1:{port}",
        },
    )


def cookies_of(answer: Answer) -> dict[str, str]:
    """Return the cookies an answer sets. Several Set-Cookie lines come joined."""
    found: dict[str, str] = {}
    for part in answer.headers.get("set-cookie", "").replace(", ", "; ").split("; "):
        name, _, value = part.partition("=")
        if name in {"csrftoken", "sessionid", "theme"}:
            found[name] = value
    return found

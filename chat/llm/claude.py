"""The one file that knows the provider's SDK: Claude over the Messages API, streamed.

The body is read from the SDK's raw response and each event is parsed once (turns.md, 20). The SDK retries nothing:
retries, their limits and what a person sees of them are the loop's. No error of the SDK leaves this file.
"""

import time
from typing import Any
from urllib.request import getproxies

import anthropic
import httpx2

from chat.llm import failures
from chat.llm.attempt import Attempt, Patience, known_id
from chat.llm.base import Request
from chat.llm.catalogue import Catalogue
from chat.llm.failures import Fault, NotTheApi
from chat.llm.growing import UpstreamError
from chat.llm.request import THINKING_MODELS, beta_headers, body_of
from chat.llm.transport import Transport
from chat.llm.wire import Malformed

API = "https://api.anthropic.com"
# ValueError: a malformed stream, and what can not be encoded on its way out. TimeoutError: our own patience.
_FAULTS = (
    anthropic.AnthropicError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    UpstreamError,
    NotTheApi,
    TimeoutError,
    ValueError,
)


class Claude:
    """One client for the whole process, used from one event loop."""

    def __init__(
        self, client: anthropic.AsyncAnthropic, *, patience: Patience | None = None
    ) -> None:
        self.client = client
        # Reached for here, as it makes the SDK import and build its classes: over a second, in nobody's first turn.
        self._create = client.messages.with_streaming_response.create
        self.patience = patience or Patience()
        self._catalogue = Catalogue(self._listed, faults=_FAULTS)

    def stream(self, request: Request) -> Attempt:
        """Return an attempt at `request`; nothing is sent before it is iterated."""
        told = self._catalogue.thinks(request.model)
        body = body_of(request, thinks=request.model in THINKING_MODELS if told is None else told)

        async def send() -> httpx2.Response:
            headers = {"accept-encoding": "identity", **beta_headers(request)}
            opened = self._create(**body, stream=True, extra_headers=headers)
            response: httpx2.Response = (await opened.__aenter__()).http_response
            return response

        return Attempt(send=send, explain=explain, faults=_FAULTS, patience=self.patience)

    async def models(self) -> list[dict[str, Any]]:
        """Return `{id, display_name, max_input_tokens?, capabilities?, …}` of each model, cached; never raises."""
        return await self._catalogue.models()

    def known(self) -> list[dict[str, Any]]:
        """Return the last listing, empty while there is none; asks nobody, from any thread."""
        return self._catalogue.known()

    async def count_tokens(self, request: Request) -> int:
        """Return how many input tokens a request would be. Raises ModelFailed."""
        body = body_of(request, thinks=False)
        del body["max_tokens"]
        fault: Fault | None = None
        counted = 0
        try:
            counted = (await self.client.messages.count_tokens(**body)).input_tokens
        except _FAULTS as error:
            fault = explain(error, begun=False)
        if fault is not None:
            raise fault.failure(request_id=None)
        return counted

    async def aclose(self) -> None:
        """Close the connections."""
        await self.client.close()

    async def _listed(self) -> list[dict[str, Any]]:
        return [model.to_dict() async for model in self.client.models.list(limit=1000)]


def build(*, api_key: str, base_url: str = "", patience: Patience | None = None) -> Claude:
    """Return Claude behind an API key. Proxies of the environment are honoured, its other credentials are not."""
    patience = patience or Patience()
    timeout = httpx2.Timeout(patience.silence, connect=patience.connect)
    client = anthropic.AsyncAnthropic(
        api_key=api_key,
        base_url=base_url or API,
        max_retries=0,
        timeout=timeout,
        http_client=_http_client(timeout),
    )
    return Claude(client, patience=patience)


def over(transport: httpx2.AsyncBaseTransport, *, patience: Patience | None = None) -> Claude:
    """Return Claude over a transport inside the process. Nothing in the environment can redirect it."""
    client = anthropic.AsyncAnthropic(
        api_key="demo",
        base_url="http://demo.invalid",
        max_retries=0,
        http_client=anthropic.DefaultAsyncHttpxClient(transport=transport, trust_env=False),
    )
    return Claude(client, patience=patience)


def _http_client(timeout: httpx2.Timeout) -> httpx2.AsyncClient:
    if getproxies():
        return anthropic.DefaultAsyncHttpxClient(timeout=timeout)
    return anthropic.DefaultAsyncHttpxClient(timeout=timeout, transport=Transport())


def explain(error: Exception, *, begun: bool) -> Fault:
    """Return what an error of the SDK, the transport or the stream means. `begun`: the response had started."""
    if isinstance(error, anthropic.APIStatusError):
        return _reported(error)
    if isinstance(error, anthropic.APIConnectionError):
        if not isinstance(error.__cause__, httpx2.HTTPError):
            return Fault(cause=failures.UNREACHABLE, detail=type(error.__cause__).__name__)
        error = error.__cause__
    if isinstance(error, UpstreamError):
        cause = failures.cause_of(status=200, kind=error.type, code=error.code, prose=error.prose)
        return Fault(cause=cause, status=200, detail=f"event {failures.named(error.type)}")
    detail = str(error) if isinstance(error, Malformed) else type(error).__name__
    return Fault(cause=failures.cause_of_local(error, begun=begun), detail=detail)


def _reported(error: anthropic.APIStatusError) -> Fault:
    prose = error.api_message if isinstance(error.api_message, str) else ""
    return Fault(
        cause=failures.cause_of(
            status=error.status_code, kind=error.type, code=error.error_code, prose=prose
        ),
        status=error.status_code,
        request_id=known_id(error.request_id),
        retry_after=failures.seconds_to_wait(error.response.headers, now=time.time()),
        detail=failures.named(error.type),
    )

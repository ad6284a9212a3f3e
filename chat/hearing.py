"""One attempt at a reply: read to its end, or cut short."""

import asyncio
from collections.abc import Callable

from chat.llm.base import ModelFailed, Reply, Stream
from chat.pace import Pace
from chat.steps import Cut

Say = Callable[[str, str], None]


async def heard(stream: Stream, *, say: Say, stop: asyncio.Event) -> Reply | ModelFailed | Cut:
    """Pass an attempt's deltas on as (kind, text) until it ends or `stop` is set. The stream is closed in any case.

    A fault that is not the model's is raised.
    """
    pump = asyncio.ensure_future(_pump(stream, say))
    stopped = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([pump, stopped], return_when="FIRST_COMPLETED")
    finally:
        stopped.cancel()
        if not pump.done():
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)
        await stream.aclose()
    if pump.cancelled():
        return Cut(content=stream.partial())
    failure = pump.exception()
    if isinstance(failure, ModelFailed):
        return failure
    if failure is not None:
        raise failure
    assert stream.reply is not None, "a stream that ends without a failure has a reply"
    return stream.reply


async def _pump(stream: Stream, say: Say) -> None:
    pace = Pace(say)
    try:
        async for delta in stream:
            pace.say(delta.kind, delta.text)
    finally:
        pace.flush()

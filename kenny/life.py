"""What begins before a process takes its first request and ends after its last: turns, the sweep over doors, upkeep."""

import asyncio

from django.conf import settings

from chat import runner
from chat.llm import claude, demo
from kenny.accounts import cutoff
from kenny.upkeep import Upkeep

_upkeep = Upkeep()
_background: set["asyncio.Future[None]"] = set()


async def begin() -> None:
    """Choose the model by the key alone, take up what a crash left, and keep the sweeps going."""
    if settings.ANTHROPIC_API_KEY:
        model = claude.build(
            api_key=settings.ANTHROPIC_API_KEY, base_url=settings.ANTHROPIC_BASE_URL
        )
    else:
        model = demo.demo_model()
    await runner.start(model)
    _background.add(asyncio.ensure_future(cutoff.watch()))
    _background.add(asyncio.ensure_future(_upkeep.run()))


async def end() -> None:
    """Let running turns end within KENNY_GRACE, settle the rest, and leave no deleted word in the database's files."""
    await runner.drain(settings.KENNY_GRACE)
    await _upkeep.clean()

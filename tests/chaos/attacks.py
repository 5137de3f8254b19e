"""An attack; the load of the others must not suffer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.chaos.row import Row, Trial
from tests.history.callers import Callers, Unanswered

REGISTRANTS = 24
PAUSE_SECONDS = 0.05


@asynccontextmanager
async def taken_names(trial: Trial) -> AsyncIterator[None]:
    """Have many clients register a name that is taken, apart from the calls of the load."""
    over = asyncio.Event()

    async def repeat() -> None:
        while not over.is_set():
            await register_taken_name(trial, callers)
            await asyncio.sleep(PAUSE_SECONDS)

    async with Callers(trial.board.urls) as callers, asyncio.TaskGroup() as tasks:
        for _ in range(REGISTRANTS):
            tasks.create_task(repeat())
        yield
        over.set()


async def register_taken_name(trial: Trial, callers: Callers) -> None:
    """Register a name that is taken, and note an answer that is no refusal."""
    try:
        reply = await callers.call("POST", "/api/agents/register", {"name": trial.traffic.clients[0].name})
        trial.expect(reply.status == 400, f"a taken name was answered {reply.status}")
    except Unanswered as refused:
        trial.expect(refused.cause.startswith("429"), f"a taken name was answered {refused.cause}")
    trial.more["refused"] = int(str(trial.more.get("refused", 0))) + 1


ROWS = (Row("taken-names", "limited; other writes unharmed", taken_names),)

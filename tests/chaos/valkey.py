"""Faults of Valkey, which the limiter must expect at any moment."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from tests.chaos.database import silenced
from tests.chaos.processes import frozen, killed, restarted
from tests.chaos.row import Fault, Row, Trial
from tests.limiter import outages


def during(outage: outages.Outage) -> Fault:
    """Make an outage of the limiter's tests a fault of the matrix."""

    def fault(trial: Trial) -> AbstractAsyncContextManager[None]:
        return outage(trial.board)

    return fault


@asynccontextmanager
async def silent(trial: Trial) -> AsyncIterator[None]:
    """Let every connection to the store hang, the new ones too."""
    async with silenced(trial.board.store):
        yield


EXACT = "the limit is exact, no 5xx"
ROWS = (
    Row("valkey-killed", EXACT, killed("valkey")),
    Row("valkey-restarted", EXACT, restarted("valkey")),
    Row("valkey-frozen", EXACT, frozen("valkey")),
    Row("valkey-flushed", EXACT, during(outages.flushed)),
    Row("valkey-evicts", EXACT, during(outages.filled)),
    Row("valkey-full", EXACT, during(outages.full)),
    Row("valkey-silent", EXACT, silent),
)

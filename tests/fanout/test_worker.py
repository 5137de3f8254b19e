"""The worker's loop: at once while there is more, a growing rest without work, a growing pause after failures."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.fanout.worker import PAUSES, RESTS, Work, Worker
from tests.log.locks import until


class Script:
    """A consumer that finds what it is told to find; an exception is raised."""

    name = "script"

    def __init__(self) -> None:
        self.found: Work | Exception = Work.NONE
        self.backends: list[int] = []
        self.failures: list[Exception] = []

    async def step(self, connection: asyncpg.Connection) -> Work:
        self.backends.append(await connection.fetchval("SELECT pg_backend_pid()"))
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    async def reached(self, steps: int) -> None:
        """Return when so many steps have been taken."""

        async def taken() -> bool:
            return len(self.backends) >= steps

        await until(taken)

    def failed(self, error: Exception) -> None:
        self.failures.append(error)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
async def worker(script: Script, database: str) -> AsyncIterator[Worker]:
    worker = Worker(script, database)
    yield worker
    await worker.close()


async def turns(worker: Worker, script: Script, *found: Work | Exception) -> list[float]:
    """How long it waits after each turn."""
    waits = []
    for script.found in found:
        waits.append(await worker.turn())
    return waits


async def test_it_goes_on_at_once_while_there_is_more_and_rests_longer_and_longer_without_work(
    worker: Worker, script: Script
) -> None:
    more, everything, nothing = Work.MORE, Work.ALL, Work.NONE
    assert await turns(worker, script, more, more, everything) == [0, 0, RESTS[0]]
    assert await turns(worker, script, *[nothing] * 6) == [*RESTS[1:], RESTS[-1], RESTS[-1]]
    assert await turns(worker, script, everything, nothing) == list(RESTS[:2])
    # it should be from 50 to 500 ms
    assert (RESTS[0], RESTS[-1]) == (0.05, 0.5)
    # it should do all of it over one connection
    assert len(set(script.backends)) == 1


async def test_after_a_failure_it_pauses_longer_and_longer_and_connects_anew(worker: Worker, script: Script) -> None:
    assert worker.trouble() == "script waits for the database."
    await turns(worker, script, Work.ALL)
    assert worker.trouble() is None
    error = ValueError("whatever it is")
    assert await turns(worker, script, *[error] * 7) == [*PAUSES, PAUSES[-1]]
    assert worker.trouble() == "The last step of script failed."
    assert script.failures == [error] * 7
    assert len(set(script.backends)) == 7
    # it should be as before after one success
    assert await turns(worker, script, Work.MORE, error) == [0, PAUSES[0]]


async def test_it_is_in_trouble_and_stands_still_when_nothing_has_happened_for_long(
    worker: Worker, script: Script
) -> None:
    await turns(worker, script, Work.ALL)
    worker.task = asyncio.create_task(asyncio.sleep(600))  # a loop that does not turn
    assert (worker.trouble(), worker.standstill()) == (None, None)
    assert worker.succeeded is not None
    worker.succeeded -= 8
    assert worker.trouble() == "script waits for the database."
    worker.turned -= 60
    assert worker.standstill() == "The loop of script has stood still for 51 seconds."


async def test_a_stop_ends_the_loop_and_not_the_step(worker: Worker, script: Script) -> None:
    script.found = Work.MORE
    task = worker.start()
    await script.reached(3)
    worker.stopping.set()
    await worker.ended()
    assert task.done()
    assert task.exception() is None
    # it should be heard while it rests, too
    worker.stopping.clear()
    script.found = Work.NONE
    worker.idle = len(RESTS)
    taken = len(script.backends)
    worker.start()
    await script.reached(taken + 1)
    worker.stopping.set()
    await worker.ended()
    assert len(script.backends) == taken + 1

"""The worker's loop: no pause while there is work, growing pauses without work and after failures."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.board.database import connections
from services.board.database.admission import Admission
from services.fanout import worker as working
from services.fanout.upkeep import InTurn
from services.fanout.worker import PAUSES, RESTS, Work, Worker
from services.local.postgresql import PostgreSQL
from services.process.metrics import Registry
from tests.metrics import metric
from tests.posts.locks import until
from tests.proxy import Proxy


class Script:
    """A consumer that returns or raises whatever the test has set."""

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
        """Return when this many steps have been taken."""

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
    worker = Worker(script, Admission(database), Registry())
    yield worker
    await worker.close()


async def turns(worker: Worker, script: Script, *found: Work | Exception) -> list[float]:
    """Return how long it waits after each turn."""
    waits = []
    for script.found in found:
        waits.append(await worker.turn())
    return waits


async def test_it_goes_on_at_once_while_there_is_more_and_rests_longer_and_longer_without_work(
    worker: Worker, script: Script
) -> None:
    more, everything, nothing = Work.MORE, Work.ALL, Work.NONE
    assert await turns(worker, script, more, more, everything) == [0, 0, RESTS[0]]
    assert await turns(worker, script, *[nothing] * 5) == [*RESTS[1:], RESTS[-1]]
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
    # it should return to normal after one success
    assert await turns(worker, script, Work.MORE, error) == [0, PAUSES[0]]


async def test_it_is_in_trouble_and_stands_still_when_nothing_has_happened_for_long(
    worker: Worker, script: Script
) -> None:
    await turns(worker, script, Work.ALL)
    worker.task = asyncio.create_task(asyncio.sleep(600))  # a loop that has stalled
    assert (worker.trouble(), worker.standstill()) == (None, None)
    assert worker.succeeded is not None
    worker.succeeded -= 8
    assert worker.trouble() == "script waits for the database."
    worker.turned -= 60
    assert worker.standstill() == "The loop of script has been stuck for 51 seconds."


async def test_an_error_about_a_failure_ends_nothing(
    script: Script, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "PAUSES", (0.01,))
    registry = Registry()
    worker = Worker(script, Admission(database), registry)

    def fail_again(error: Exception) -> None:
        raise RuntimeError from error

    monkeypatch.setattr(script, "failed", fail_again)
    script.found = ValueError("whatever it is")
    task = worker.start()
    await script.reached(3)
    assert not task.done()
    assert metric(registry, 'agent_board_background_errors_total{task="script"}') >= 4
    script.found = Work.NONE
    await script.reached(len(script.backends) + 2)
    assert worker.trouble() is None
    await worker.close()


async def test_of_several_in_turn_one_that_fails_holds_up_no_other(script: Script, database: str) -> None:
    other = Script()
    worker = Worker(InTurn(script, other), Admission(database), Registry())
    script.found = ValueError("whatever it is")
    for _ in range(5):
        await worker.turn()
    # after each failure, the next turn begins with the other
    assert (len(script.backends), len(other.backends)) == (5, 4)
    await worker.close()


class InTransaction(Script):
    """A consumer whose connection falls silent in a transaction, which it then tries to roll back."""

    def __init__(self, proxy: Proxy) -> None:
        super().__init__()
        self.proxy = proxy

    async def step(self, connection: asyncpg.Connection) -> Work:
        async with connection.transaction():
            if not self.failures:
                self.proxy.freeze()
            return await super().step(connection)


async def test_a_turn_on_a_silent_connection_ends_and_the_next_connects_anew(
    postgresql: PostgreSQL, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Proxy(postgresql.port) as proxy:
        monkeypatch.setattr(connections, "COMMAND_SECONDS", 0.5)
        worker = Worker(InTransaction(proxy), Admission(proxy.url(database)), Registry())
        await worker.connected()
        monkeypatch.undo()
        monkeypatch.setattr(working, "TURN_SECONDS", 0.5)
        async with asyncio.timeout(60):
            assert await worker.turn() == PAUSES[0]
            monkeypatch.undo()
            assert await worker.turn() == RESTS[1]
        await worker.close()


async def test_a_stop_ends_the_loop_and_not_the_step(worker: Worker, script: Script) -> None:
    script.found = Work.MORE
    task = worker.start()
    await script.reached(3)
    worker.stopping.set()
    await worker.ended()
    assert task.done()
    assert task.exception() is None
    # it should notice this during a pause, too
    worker.stopping.clear()
    script.found = Work.NONE
    worker.idle = len(RESTS)
    taken = len(script.backends)
    worker.start()
    await script.reached(taken + 1)
    worker.stopping.set()
    await worker.ended()
    assert len(script.backends) == taken + 1

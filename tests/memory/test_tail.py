"""The tail alone, on a real PostgreSQL: no question is shared with who came after it, and nothing is passed over."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.api.memory import Made, Memory
from services.api.tail import Tail
from services.board.database import reading_connection
from services.board.process.metrics import Registry
from services.board.tags import ROWS_MAX
from tests.memory.wrong_api import answer_all_who_have_joined, join_the_question_under_way, replace
from tests.proxy import Proxy

APPEND = "SELECT append_change('vote', $1, 1, 'general')"
QUESTION = b"__asyncpg_stmt_"
BACKENDS = (
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-board tail' AND datname = current_database()"
)


class Follower:
    """A tail, the threads of the changes that it has applied, and why it has forgotten them."""

    def __init__(self, url: str, kind: type[Tail] = Tail) -> None:
        self.registry = Registry()
        self.threads: list[int] = []
        self.reasons: list[str] = []
        self.tail = kind(lambda: reading_connection(url), self.apply, self.reasons.append, self.registry)

    def apply(self, rows: Sequence[asyncpg.Record]) -> None:
        self.threads += [row["thread_id"] for row in rows]

    def questions(self) -> int:
        """How many queries were shared by how many requests, in all."""
        return sum(self.tail.waiters.line().counts)


class Joining(Tail):
    """A wrong one: who comes joins the question under way."""


replace(Joining, catch_up=join_the_question_under_way, answer=answer_all_who_have_joined)


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close()


@pytest.fixture
async def follower(database: str) -> AsyncIterator[Follower]:
    made = Follower(database)
    await made.tail.catch_up()
    made.reasons.clear()
    yield made
    await made.tail.close()


async def test_what_was_committed_before_is_applied_in_order(follower: Follower, db: asyncpg.Connection) -> None:
    for thread in range(5):
        await db.execute(APPEND, thread)
    await follower.tail.catch_up()
    await follower.tail.catch_up()
    assert (follower.threads, follower.reasons) == ([0, 1, 2, 3, 4], [])


async def test_all_who_wait_share_the_next_question(follower: Follower) -> None:
    before = follower.questions()
    first = asyncio.create_task(follower.tail.catch_up())
    await asyncio.sleep(0)
    await asyncio.gather(*(follower.tail.catch_up() for _ in range(100)))
    await first
    assert follower.questions() - before == 2


@pytest.mark.parametrize(("kind", "seen"), [(Tail, [42]), (Joining, [])], ids=["right", "joining"])
async def test_who_comes_during_a_question_waits_for_the_next(
    kind: type[Tail], seen: list[int], database: str, db: asyncpg.Connection
) -> None:
    async with Proxy(urlsplit(database).port or 0) as proxy:
        follower = Follower(proxy.url(database), kind)
        await follower.tail.catch_up()
        kept = proxy.keep(QUESTION, answer=True)
        earlier = asyncio.create_task(follower.tail.catch_up())
        await kept.reached()
        await db.execute(APPEND, 42)
        later = asyncio.create_task(follower.tail.catch_up())
        await asyncio.sleep(0.05)
        kept.release()
        await earlier
        assert follower.threads == []
        await later
        assert follower.threads == seen
        await follower.tail.close()


async def test_who_hangs_up_ends_its_own_wait_alone(follower: Follower, db: asyncpg.Connection) -> None:
    await db.execute(APPEND, 42)
    waiting = [asyncio.create_task(follower.tail.catch_up()) for _ in range(20)]
    await asyncio.sleep(0)
    for task in waiting[::2]:
        task.cancel()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    assert [isinstance(result, asyncio.CancelledError) for result in done] == [True, False] * 10
    assert follower.threads == [42]


LOSSES = {
    "rows that a crash has taken": "DELETE FROM changes",
    "rows that were pruned": "DELETE FROM changes WHERE seq = (SELECT min(seq) FROM changes)",
    "a row in the middle": "DELETE FROM changes WHERE thread_id = 2",
    "an older database": "UPDATE log_head SET last_seq = 0",
}


@pytest.mark.parametrize("loss", LOSSES)
async def test_what_may_have_been_missed_makes_it_forget(loss: str, follower: Follower, db: asyncpg.Connection) -> None:
    await db.execute(APPEND, 0)
    await follower.tail.catch_up()
    for thread in (1, 2, 3):
        await db.execute(APPEND, thread)
    await db.execute("DELETE FROM changes WHERE thread_id = 0")
    await db.execute(LOSSES[loss])
    await follower.tail.catch_up()
    assert (follower.threads, follower.reasons) == ([0], ["gap"])
    await db.execute("DELETE FROM changes; UPDATE log_head SET last_seq = last_seq + 100")
    await follower.tail.catch_up()
    await db.execute(APPEND, 5)
    await follower.tail.catch_up()
    assert (follower.threads, follower.reasons) == ([0, 5], ["gap", "gap"])


@pytest.mark.parametrize(("missed", "reasons"), [(ROWS_MAX, []), (ROWS_MAX + 1, ["gap"])])
async def test_who_has_missed_too_much_starts_anew(
    missed: int, reasons: list[str], follower: Follower, db: asyncpg.Connection
) -> None:
    await db.execute("SELECT append_change('vote', n, 1, 'general') FROM generate_series(1, $1) n", missed)
    await follower.tail.catch_up()
    assert follower.reasons == reasons
    assert len(follower.threads) == (0 if reasons else missed)


async def test_a_lost_connection_is_replaced_within_the_same_wait(follower: Follower, db: asyncpg.Connection) -> None:
    await db.execute(APPEND, 1)
    await db.execute(f"SELECT pg_terminate_backend(pid) FROM ({BACKENDS}) b")
    await follower.tail.catch_up()
    # what it had not seen it need not see: nothing is left that was made before
    assert (follower.threads, follower.reasons) == ([], ["connection"])
    await db.execute(APPEND, 2)
    await follower.tail.catch_up()
    assert follower.threads == [2]


async def test_while_the_database_is_away_everybody_is_told_and_nothing_is_kept(database: str) -> None:
    async with Proxy(urlsplit(database).port or 0) as proxy:
        follower = Follower(proxy.url(database))
        await follower.tail.catch_up()
        follower.reasons.clear()
        proxy.away = True
        proxy.cut_all()
        told = await asyncio.gather(*(follower.tail.catch_up() for _ in range(20)), return_exceptions=True)
        assert {isinstance(error, OSError | asyncpg.InterfaceError | asyncpg.PostgresError) for error in told} == {True}
        assert follower.reasons
        proxy.away = False
        assert await follower.tail.catch_up() > 1
        await follower.tail.close()


async def test_closing_ends_all_waits(follower: Follower) -> None:
    waiting = [asyncio.create_task(follower.tail.catch_up()) for _ in range(3)]
    await asyncio.sleep(0)
    late = asyncio.create_task(follower.tail.catch_up())
    await asyncio.sleep(0)
    await follower.tail.close()
    done = await asyncio.gather(*waiting, late, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in done)


async def test_what_is_made_while_the_tail_connects_anew_is_not_kept(database: str, db: asyncpg.Connection) -> None:
    """A change between the making and the place from which the tail goes on is never read."""
    memory = Memory(2**20, Registry())
    tags = frozenset({"thread:42"})
    makings: list[asyncio.Task[object]] = []
    let = asyncio.Event()

    async def make() -> Made:
        score = await db.fetchval("SELECT last_seq FROM log_head")
        let.set()
        return Made(score, tags, 0)

    async def connect() -> asyncpg.Connection:
        makings.append(asyncio.create_task(memory.make("42", 0, tags, make)))
        await let.wait()
        await makings[-1]
        await db.execute(APPEND, 42)
        return await reading_connection(database)

    tail = Tail(connect, memory.apply, memory.forget, Registry())
    await tail.catch_up()
    assert makings[0].done()
    assert memory.find("42") is None
    await tail.close()

"""The change feed on a real PostgreSQL: a read joins no earlier query, and no change is missed."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.api.cache.change_feed import ChangeFeed
from services.api.cache.entries import Entry
from services.api.cache.memory import Memory
from services.board.database.changes import NEWER, NEWEST, ROWS_MAX
from services.board.database.connections import reading_connection
from services.process.metrics import Registry
from tests.database.plans import pages_read
from tests.metrics import counts, metric
from tests.proxy import Proxy

APPEND = "SELECT append_change('vote', $1, 1, 'general')"
QUESTION = b"__asyncpg_stmt_"
PAGES = 20
BACKENDS = (
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-board tail' AND datname = current_database()"
)


class Follower:
    """A tail, the threads of the changes that it has applied, and the reasons for which it emptied its cache."""

    def __init__(self, url: str) -> None:
        self.registry = Registry()
        self.threads: list[int] = []
        self.reasons: list[str] = []
        self.rates: list[int] = []  # how many changes were applied when the rates were read
        self.feed = ChangeFeed(
            lambda: reading_connection(url), self.apply, self.reasons.append, self.registry, self.follow_rates
        )

    async def follow_rates(self, connection: asyncpg.Connection) -> None:
        assert await connection.fetchval("SELECT true")
        self.rates.append(len(self.threads))

    def apply(self, rows: Sequence[asyncpg.Record]) -> None:
        self.threads += [row["thread_id"] for row in rows]

    def questions(self) -> int:
        """Return how many queries were shared by how many requests in total."""
        return int(counts(self.feed.waiters)[()])


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close()


@pytest.fixture
async def follower(database: str) -> AsyncIterator[Follower]:
    made = Follower(database)
    await made.feed.catch_up()
    made.reasons.clear()
    yield made
    await made.feed.close()


async def test_what_was_committed_before_is_applied_in_order(follower: Follower, db: asyncpg.Connection) -> None:
    for thread in range(5):
        await db.execute(APPEND, thread)
    await follower.feed.catch_up()
    await follower.feed.catch_up()
    assert (follower.threads, follower.reasons) == ([0, 1, 2, 3, 4], [])


async def test_rates_are_read_before_a_change_of_them_is_applied_and_when_one_may_have_been_missed(
    follower: Follower, db: asyncpg.Connection
) -> None:
    assert follower.rates == [0]
    await db.execute(APPEND, 1)
    await follower.feed.catch_up()
    assert follower.rates == [0]
    await db.execute("SELECT append_change('limit', NULL, NULL, NULL)")
    await follower.feed.catch_up()
    assert (follower.rates, follower.threads) == ([0, 1], [1, None])
    # a gap, then another connection
    await db.execute("UPDATE log_head SET last_seq = last_seq + 2")
    await db.execute(APPEND, 2)
    await follower.feed.catch_up()
    await db.execute(f"SELECT pg_terminate_backend(pid) FROM ({BACKENDS}) b")
    await follower.feed.catch_up()
    assert (len(follower.rates), follower.reasons) == (4, ["gap", "connection"])


@pytest.mark.parametrize("part", ["apply", "follow_rates"])
async def test_a_change_that_cannot_be_applied_empties_the_cache_and_the_next_ones_are_applied(
    follower: Follower, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("a fault of the board")

    monkeypatch.setattr(follower.feed, part, refuse)
    await db.execute("SELECT append_change('limit', NULL, NULL, NULL)")
    await follower.feed.catch_up()
    assert follower.reasons == (["error"] if part == "apply" else [])
    monkeypatch.undo()
    await db.execute(APPEND, 7)
    await follower.feed.catch_up()
    assert follower.threads == ([7] if part == "apply" else [None, 7])
    assert metric(follower.registry, 'agent_board_background_errors_total{task="change-feed"}') == 1


async def test_rates_are_read_again_until_they_were_read(follower: Follower, db: asyncpg.Connection) -> None:
    """A new connection on which only they could not be read is of no use."""
    failures = [OSError()]

    async def follow_rates(connection: asyncpg.Connection) -> None:
        if failures:
            raise failures.pop()
        await Follower.follow_rates(follower, connection)

    follower.feed.follow_rates = follow_rates
    await db.execute(f"SELECT pg_terminate_backend(pid) FROM ({BACKENDS}) b")
    with pytest.raises(OSError):
        await follower.feed.catch_up()
    assert follower.rates == [0]
    await follower.feed.catch_up()
    assert len(follower.rates) == 2


async def test_all_who_wait_share_the_next_question(follower: Follower) -> None:
    before = follower.questions()
    first = asyncio.create_task(follower.feed.catch_up())
    await asyncio.sleep(0)
    await asyncio.gather(*(follower.feed.catch_up() for _ in range(100)))
    await first
    assert follower.questions() - before == 2


async def test_who_comes_during_a_question_waits_for_the_next(database: str, db: asyncpg.Connection) -> None:
    async with Proxy(urlsplit(database).port or 0) as proxy:
        follower = Follower(proxy.url(database))
        await follower.feed.catch_up()
        kept = proxy.keep(QUESTION, answer=True)
        earlier = asyncio.create_task(follower.feed.catch_up())
        await kept.reached()
        await db.execute(APPEND, 42)
        later = asyncio.create_task(follower.feed.catch_up())
        await asyncio.sleep(0.05)
        kept.release()
        await earlier
        assert follower.threads == []
        await later
        assert follower.threads == [42]
        await follower.feed.close()


async def test_who_hangs_up_ends_its_own_wait_alone(follower: Follower, db: asyncpg.Connection) -> None:
    await db.execute(APPEND, 42)
    waiting = [asyncio.create_task(follower.feed.catch_up()) for _ in range(20)]
    await asyncio.sleep(0)
    for task in waiting[::2]:
        task.cancel()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    assert [isinstance(result, asyncio.CancelledError) for result in done] == [True, False] * 10
    assert follower.threads == [42]


LOSSES = {
    "rows that a crash has taken": "DELETE FROM changes",
    "rows that were pruned": "DELETE FROM changes WHERE thread_id <= 2",
    "the row that was read last": "DELETE FROM changes WHERE thread_id = 1",
    "a row in the middle": "DELETE FROM changes WHERE thread_id = 3",
    "an older database": "DELETE FROM changes WHERE thread_id >= 1",
}


@pytest.mark.parametrize("loss", LOSSES)
async def test_what_may_have_been_missed_makes_it_forget(loss: str, follower: Follower, db: asyncpg.Connection) -> None:
    for thread in (0, 1):
        await db.execute(APPEND, thread)
    await follower.feed.catch_up()
    for thread in (2, 3, 4):
        await db.execute(APPEND, thread)
    await db.execute(LOSSES[loss])
    await follower.feed.catch_up()
    assert (follower.threads, follower.reasons) == ([0, 1], ["gap"])
    # it should go on from the next change, before which nothing is known if all rows were lost
    await db.execute(APPEND, 5)
    await follower.feed.catch_up()
    reasons = list(follower.reasons)
    await db.execute(APPEND, 6)
    await follower.feed.catch_up()
    assert (follower.threads[-1], follower.reasons) == (6, reasons)


async def test_a_held_snapshot_makes_no_read_longer(db: asyncpg.Connection, database: str) -> None:
    """Until pg_dump ends, PostgreSQL keeps every version of the head, of which each change makes another."""
    holder, tail = await asyncpg.connect(database), await reading_connection(database)
    async with holder.transaction(isolation="repeatable_read"):
        await holder.fetchval("SELECT count(*) FROM changes")
        await db.execute("SELECT append_change('vote', n, 1, 'general') FROM generate_series(1, 3000) n")
        assert await pages_read(db, "SELECT last_seq FROM log_head") > PAGES
        await tail.execute(f"PREPARE newer (bigint) AS {NEWER}")
        assert await pages_read(tail, "EXECUTE newer (2990)") < PAGES
        assert await pages_read(tail, NEWEST) < PAGES
    await holder.close()
    await tail.close()


@pytest.mark.parametrize(("missed", "reasons"), [(ROWS_MAX, []), (ROWS_MAX + 1, ["gap"])])
async def test_who_has_missed_too_much_starts_anew(
    missed: int, reasons: list[str], follower: Follower, db: asyncpg.Connection
) -> None:
    await db.execute("SELECT append_change('vote', n, 1, 'general') FROM generate_series(1, $1) n", missed)
    await follower.feed.catch_up()
    assert follower.reasons == reasons
    assert len(follower.threads) == (0 if reasons else missed)


async def test_a_lost_connection_is_replaced_within_the_same_wait(follower: Follower, db: asyncpg.Connection) -> None:
    await db.execute(APPEND, 1)
    await db.execute(f"SELECT pg_terminate_backend(pid) FROM ({BACKENDS}) b")
    await follower.feed.catch_up()
    # it need not see the missed changes: nothing from before is left in memory
    assert (follower.threads, follower.reasons) == ([], ["connection"])
    await db.execute(APPEND, 2)
    await follower.feed.catch_up()
    assert follower.threads == [2]


async def test_while_the_database_is_unavailable_everybody_is_told_and_nothing_is_kept(database: str) -> None:
    async with Proxy(urlsplit(database).port or 0) as proxy:
        follower = Follower(proxy.url(database))
        await follower.feed.catch_up()
        follower.reasons.clear()
        proxy.away = True
        proxy.cut_all()
        told = await asyncio.gather(*(follower.feed.catch_up() for _ in range(20)), return_exceptions=True)
        assert {isinstance(error, OSError | asyncpg.InterfaceError | asyncpg.PostgresError) for error in told} == {True}
        assert follower.reasons
        proxy.away = False
        assert await follower.feed.catch_up() > 1
        await follower.feed.close()


async def test_closing_ends_all_waits(follower: Follower) -> None:
    waiting = [asyncio.create_task(follower.feed.catch_up()) for _ in range(3)]
    await asyncio.sleep(0)
    late = asyncio.create_task(follower.feed.catch_up())
    await asyncio.sleep(0)
    await follower.feed.close()
    done = await asyncio.gather(*waiting, late, return_exceptions=True)
    assert all(isinstance(result, TimeoutError) for result in done)


async def test_what_is_made_while_the_tail_connects_anew_is_not_kept(database: str, db: asyncpg.Connection) -> None:
    """A change between the tail's creation and the place from which it continues is never read."""
    memory = Memory(2**20, Registry())
    tags = frozenset({"thread:42"})
    makings: list[asyncio.Task[object]] = []
    let = asyncio.Event()

    async def make() -> Entry:
        score = await db.fetchval("SELECT last_seq FROM log_head")
        let.set()
        return Entry(score, tags, 0)

    async def connect() -> asyncpg.Connection:
        makings.append(asyncio.create_task(memory.build("42", 0, tags, make)))
        await let.wait()
        await makings[-1]
        await db.execute(APPEND, 42)
        return await reading_connection(database)

    async def follow(connection: asyncpg.Connection) -> None:
        assert makings

    feed = ChangeFeed(connect, memory.apply, memory.clear, Registry(), follow)
    await feed.catch_up()
    assert makings[0].done()
    assert memory.find("42") is None
    await feed.close()

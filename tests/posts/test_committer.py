"""The committer itself: nothing is left behind when callers arrive, leave or are cut off."""

import asyncio
import gc
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from services.board.errors import OutcomeUnknown, Unavailable
from services.board.posts import publications
from services.board.posts.commits import committer as committing
from services.board.posts.commits import recovery
from services.board.posts.commits.committer import Committer
from services.board.posts.votes import Ballot
from services.local.postgresql import PostgreSQL
from services.process.queue import Waiting
from tests.load import Member, enlist
from tests.metrics import metric
from tests.posts.inside import new_committer, publication, running_committer
from tests.posts.locks import blocked, head_locked, until
from tests.proxy import Proxy

CYCLES, AT_ONCE = 10_000, 250
ANSWER_SECONDS = 60  # which only a fault takes


@pytest.fixture
async def committer(database: str) -> AsyncIterator[Committer]:
    async with running_committer(database) as committer:
        yield committer


def left_behind(committer: Committer) -> tuple[int, int]:
    """Return the waiters and armed timers of the committer that still exist."""
    gc.collect()
    things = gc.get_objects()
    timers = [thing for thing in things if isinstance(thing, asyncio.TimerHandle)]
    give_up = [queue.give_up for queue in committer.queues]
    armed = [timer for timer in timers if timer._callback in give_up]  # type: ignore[attr-defined]
    return sum(isinstance(thing, Waiting) for thing in things), len(armed)


def waiting(committer: Committer) -> int:
    return sum(queue.waiting for queue in committer.queues)


async def submit_and_cancel(committer: Committer, members: list[Member], turns: int) -> None:
    """Begin calls, let each run for a few turns of the event loop, and cancel it."""
    calls: list[asyncio.Task[Any]] = [asyncio.create_task(committer.publish(publication(m))) for m in members]
    calls += [asyncio.create_task(committer.vote(Ballot(member.token_hash, 1, 1))) for member in members]
    for _ in range(turns):
        await asyncio.sleep(0)
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)


async def test_10_000_cancelled_calls_leave_no_waiter_timer_or_task_behind(
    committer: Committer, own_db: asyncpg.Connection
) -> None:
    members = await enlist(own_db, AT_ONCE)
    tasks, before = asyncio.all_tasks(), left_behind(committer)  # the rest of earlier tests
    for cycle in range(CYCLES // (2 * AT_ONCE)):
        await submit_and_cancel(committer, members, cycle % 4)
    # it should still work, and then have nothing else in flight
    (alice,) = await enlist(own_db, 1)
    assert (await committer.publish(publication(alice))).outcome == "created"
    await asyncio.gather(*(queue.join() for queue in committer.queues))
    assert waiting(committer) == 0
    assert left_behind(committer) == before
    assert asyncio.all_tasks() == tasks
    assert committer.keys == set()


@pytest.mark.parametrize("wrong", ["raises", "too few"])
async def test_an_error_in_the_board_itself_is_answered_and_the_next_writes_are_committed(
    committer: Committer, own_db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    (alice,) = await enlist(own_db, 1)

    async def fail(*_: Any) -> Any:
        raise RuntimeError("a fault of the board")

    async def lose(*args: Any) -> Any:
        await publish_batch(*args)
        return []

    publish_batch = publications.publish_batch
    monkeypatch.setattr(publications, "publish_batch", fail if wrong == "raises" else lose)
    # the fault of a commit starts the look-up
    if wrong == "raises":
        monkeypatch.setattr(recovery, "find_committed", fail)
        with pytest.raises(OutcomeUnknown):
            await asyncio.wait_for(committer.publish(publication(alice)), ANSWER_SECONDS)
        assert metric(committer.registry, 'agent_board_background_errors_total{task="committer"}') == 1
    else:
        assert (await asyncio.wait_for(committer.publish(publication(alice)), ANSWER_SECONDS)).post_id == 1
    monkeypatch.undo()
    assert (await committer.publish(publication(alice))).outcome == "created"


async def lost(committer: Committer) -> bool:
    return committer.connection.current is None or committer.connection.current.is_closed()


async def test_what_waits_while_the_database_is_unavailable_is_refused_in_time_and_the_rest_goes_on(
    postgresql: PostgreSQL, database: str, own_db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committing, "WRITE_TIMEOUT_SECONDS", 0.3)
    alice, bob = await enlist(own_db, 2)
    async with Proxy(postgresql.port) as proxy, running_committer(proxy.url(database)) as committer:
        proxy.away = True
        proxy.cut_all()
        await until(lambda: lost(committer))
        # it should correctly report that nothing was changed
        with pytest.raises(Unavailable):
            await committer.publish(publication(alice))
        monkeypatch.undo()
        waiting = asyncio.create_task(committer.publish(publication(bob)))
        proxy.away = False
        assert (await waiting).post_id == 1
    assert await own_db.fetchval("SELECT array_agg(author_id) FROM posts") == [bob.id]


async def test_a_connection_that_the_server_ended_while_it_was_idle_is_replaced_by_the_next_call(
    postgresql: PostgreSQL, database: str, own_db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(own_db, 1)
    async with Proxy(postgresql.port) as proxy, running_committer(proxy.url(database)) as committer:
        # the driver has received the server's last message, but not yet the end of the connection
        proxy.lingers = True
        assert committer.connection.backend is not None
        await own_db.execute("SELECT pg_terminate_backend($1, 60000)", committer.connection.backend.pid)
        outcome = await committer.publish(publication(alice))
        assert (outcome.outcome, outcome.post_id) == ("created", 1)


async def test_a_connection_that_goes_silent_is_given_up_and_the_truth_found(
    postgresql: PostgreSQL, database: str, own_db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committing, "COMMIT_SECONDS", 0.5)
    alice, bob = await enlist(own_db, 2)
    async with Proxy(postgresql.port) as proxy, running_committer(proxy.url(database)) as committer:
        silences = [proxy.keep(alice.token_hash, answer=True), proxy.keep(bob.token_hash)]
        # it should find the committed calls, and send the others again
        assert (await committer.publish(publication(alice))).post_id == 1
        assert (await committer.publish(publication(bob))).post_id == 2
        for silence in silences:
            assert silence.sprung.is_set()
            silence.cut()
    assert await own_db.fetchval("SELECT count(*) FROM posts") == 2


async def test_calls_that_are_under_way_when_the_committer_is_closed_are_answered(
    database: str, own_db: asyncpg.Connection
) -> None:
    alice, bob = await enlist(own_db, 2)
    committer = new_committer(database)
    await committer.connection.open()
    async with head_locked(database):
        sent = asyncio.create_task(committer.publish(publication(alice)))
        await blocked(own_db, 1)
        queued = asyncio.create_task(committer.publish(publication(bob)))
        await asyncio.sleep(0)
        await committer.close()
    outcomes = await asyncio.gather(sent, queued, return_exceptions=True)
    # it should report an unknown outcome for calls that were sent, and "not applied" for the others
    assert [type(outcome) for outcome in outcomes] == [OutcomeUnknown, Unavailable]

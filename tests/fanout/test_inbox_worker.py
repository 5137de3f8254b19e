"""The inboxes as a consumer of the log: rounds, partitions set aside, and metrics."""

import asyncpg
import pytest
from prometheus_client import generate_latest

from services.board.database.failures import DATABASE_FAILURES
from services.board.inbox import deliveries
from services.fanout.inboxes import ASIDE_SECONDS, Inboxes
from services.fanout.worker import Work
from services.process.metrics import Registry
from tests.fanout import oracle
from tests.load import Member, enlist
from tests.operator import play

SUBSCRIBE = "SELECT outcome FROM subscribe($1, 'community', 'general', 100)"


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
def inboxes(registry: Registry) -> Inboxes:
    return Inboxes(registry)


def lines(registry: Registry, name: str) -> dict[str, float]:
    """Return the lines of a metric: labels and value."""
    page = generate_latest(registry).decode()
    found = [line.removeprefix(name).rsplit(" ", 1) for line in page.splitlines() if line.startswith(name)]
    return {labels: float(value) for labels, value in found}


async def post(db: asyncpg.Connection, member: Member, count: int = 1) -> None:
    for _ in range(count):
        await play.published(db, play.Post(member.token_hash))


async def turns(inboxes: Inboxes, db: asyncpg.Connection) -> list[Work]:
    """Step until there is no more work to do immediately."""
    found = [await inboxes.step(db)]
    while found[-1] is Work.MORE:
        found.append(await inboxes.step(db))
    return found


async def test_a_round_takes_one_step_of_all_partitions_and_then_rests(
    db: asyncpg.Connection, alice: Member, inboxes: Inboxes, registry: Registry
) -> None:
    for follower in await enlist(db, 20):
        await db.fetchval(SUBSCRIBE, follower.token_hash)
    assert await turns(inboxes, db) == [Work.NONE]
    await post(db, alice, 3)
    assert await turns(inboxes, db) == [Work.ALL]
    assert len(await oracle.check(db)) == 60
    assert await turns(inboxes, db) == [Work.NONE]
    # it should have counted its work
    assert lines(registry, "agent_board_inbox_events_total") == {"": 60}
    assert lines(registry, "agent_board_inbox_steps_total") == {'{outcome="delivered"}': 1}
    assert lines(registry, "agent_board_inbox_delay_seconds_count") == {"": 3}
    assert lines(registry, "agent_board_inbox_step_events_sum") == {"": 60}


async def test_what_is_behind_is_shown_with_its_age(
    db: asyncpg.Connection, alice: Member, inboxes: Inboxes, registry: Registry
) -> None:
    await post(db, alice, 2)
    await db.execute("UPDATE posts SET created = created - interval '1 hour' WHERE id = 1")
    await inboxes.step(db)
    assert all(3600 <= age < 3660 for age in lines(registry, "agent_board_inbox_oldest_seconds").values())
    await turns(inboxes, db)
    await turns(inboxes, db)
    assert set(lines(registry, "agent_board_inbox_oldest_seconds").values()) == {0}


async def test_partitions_in_other_hands_are_left_to_them(
    db: asyncpg.Connection, other_db: asyncpg.Connection, alice: Member, inboxes: Inboxes, registry: Registry
) -> None:
    await post(db, alice)
    async with other_db.transaction():
        await other_db.fetch("SELECT FROM fanout_cursors WHERE partition > 3 FOR UPDATE")
        # it should pause, not spin
        assert (await turns(inboxes, db))[-1] is Work.ALL
        assert sorted(p.partition for p in await deliveries.find_positions(db) if p.age is None) == [0, 1, 2, 3]
        assert await turns(inboxes, db) == [Work.ALL]
    assert lines(registry, "agent_board_inbox_steps_total")['{outcome="busy"}'] == 1
    await turns(inboxes, db)
    assert {p.age for p in await deliveries.find_positions(db)} == {None}


async def fail(
    inboxes: Inboxes, db: asyncpg.Connection, error: type[Exception] | tuple[type[Exception], ...]
) -> list[int]:
    """Step until a step fails, let the worker record the failure, and return the partitions of the step."""
    while True:
        try:
            await inboxes.step(db)
        except error as failure:
            partitions = inboxes.held
            inboxes.failed(failure)
            return partitions


async def test_a_partition_that_fails_is_set_aside_longer_each_time(
    db: asyncpg.Connection, alice: Member, inboxes: Inboxes, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("services.fanout.inboxes.time.monotonic", lambda: now)
    bob, *_ = await enlist(db, 1)
    await db.fetchval(SUBSCRIBE, bob.token_hash)
    await deliveries.make_partitions(db)
    await db.execute("INSERT INTO inbox (agent_id, event_id, kind, subscription_ids) VALUES ($1, 1, 4, '{1}')", bob.id)
    await post(db, alice)
    await fail(inboxes, db, asyncpg.UniqueViolationError)
    for seconds in (*ASIDE_SECONDS, ASIDE_SECONDS[-1]):
        assert await fail(inboxes, db, asyncpg.UniqueViolationError) == [0]
        # it should continue with the others, and retry this one when its pause is over
        assert (await turns(inboxes, db))[-1] is not Work.MORE
        assert await turns(inboxes, db) == [Work.NONE]
        now += seconds - 0.5
        assert await turns(inboxes, db) == [Work.NONE]
        now += 0.6
    assert lines(registry, "agent_board_inbox_errors_total") == {'{kind="UniqueViolationError"}': 5}
    await db.execute("DELETE FROM inbox")
    await turns(inboxes, db)
    await oracle.check(db)
    # it should be treated as healthy after that
    assert inboxes.failures == {}


async def test_a_step_that_takes_too_long_is_tried_with_fewer_posts(
    db: asyncpg.Connection, alice: Member, inboxes: Inboxes
) -> None:
    await post(db, alice)
    await inboxes.step(db)
    before = inboxes.posts
    for n in (1, 2, 3):
        inboxes.failed(asyncpg.QueryCanceledError("canceling statement due to statement timeout"))
        assert inboxes.posts == before // 2**n
    for _ in range(20):
        inboxes.failed(asyncpg.QueryCanceledError("canceling statement due to statement timeout"))
    assert inboxes.posts == 1
    # it should set no partition aside, and take larger steps again after a success
    assert inboxes.aside == {}
    await post(db, alice)
    await turns(inboxes, db)
    assert inboxes.posts > 1


async def test_a_database_that_is_unavailable_sets_no_partition_aside(
    db: asyncpg.Connection, other_db: asyncpg.Connection, alice: Member, inboxes: Inboxes
) -> None:
    inboxes.more = True  # as after a round that left work, so that this one has several steps
    await post(db, alice)
    await inboxes.step(db)
    await other_db.execute("SELECT pg_terminate_backend($1)", db.get_server_pid())
    assert await fail(inboxes, db, DATABASE_FAILURES)
    assert inboxes.aside == {}
    await turns(inboxes, other_db)
    await turns(inboxes, other_db)
    await oracle.check(other_db)

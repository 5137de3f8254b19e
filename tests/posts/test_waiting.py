"""Blocked calls are refused in time with a correct answer, and continue as soon as they can."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published, together
from tests.posts.locks import blocked, head_locked, hold_slow, let_go, slow_begun, until
from tests.processes import ApiProcess
from tests.web import Answer

StartApi = Callable[..., ApiProcess]
READER_WAITS = """
SELECT EXISTS (
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'agent-board reads' AND wait_event_type = 'Lock'
)
"""
NOT_APPLIED = "post-public;scope=public;reversible=?0;applied=?0"


@dataclass
class Board:
    """A process for one test, its client, and a direct connection."""

    api: ApiProcess
    client: Client
    db: asyncpg.Connection
    alice: Member

    async def titles(self) -> list[str]:
        return [row["title"] for row in await self.db.fetch("SELECT title FROM posts ORDER BY id")]


@pytest.fixture
async def board(start_api: StartApi, own_db: asyncpg.Connection) -> AsyncIterator[Board]:
    """A board with its usual timeouts."""
    (alice,) = await enlist(own_db, 1)
    api = start_api()
    async with Client(api.url) as client:
        yield Board(api, client, own_db, alice)


@pytest.fixture
async def patient(start_patient_api: StartApi, own_db: asyncpg.Connection) -> AsyncIterator[Board]:
    """A board that waits as long as the test needs."""
    (alice,) = await enlist(own_db, 1)
    api = start_patient_api()
    async with Client(api.url) as client:
        yield Board(api, client, own_db, alice)


def check_busy(answer: Answer, effect: str = NOT_APPLIED) -> None:
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (503, "unavailable", "1")
    assert answer.effect == effect


async def test_a_head_that_stays_locked_is_refused_and_nothing_is_written(
    board: Board, database: str, start_api: StartApi
) -> None:
    thread = published(await board.client.thread(board.alice, "Before"))
    async with Client(start_api().url) as other, head_locked(database):
        post, vote, profile = await together(
            [
                board.client.thread(board.alice, "While it is locked", "k"),
                other.vote(board.alice, thread, 1),
                board.client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=board.alice.token),
            ]
        )
    check_busy(post)
    check_busy(vote, "vote-public;scope=public;reversible=?1;applied=?0")
    check_busy(profile, "profile-update;scope=public;reversible=?1;applied=?0")
    # it should have written nothing, not even later
    assert await board.titles() == ["Before"]
    assert await board.db.fetchval("SELECT count(*) FROM votes") == 0
    # it should continue immediately
    again = await board.client.thread(board.alice, "While it is locked", "k")
    assert (again.status, again.json["id"], again.headers["Idempotent-Replayed"]) == (201, 2, None)
    assert await board.titles() == ["Before", "While it is locked"]


async def test_a_repeat_waits_for_the_first_call_of_its_key_and_is_then_refused(
    patient: Board, start_api: StartApi
) -> None:
    await hold_slow(patient.db)
    first = asyncio.create_task(patient.client.thread(patient.alice, "Slow", "k"))
    await slow_begun(patient.db)
    async with Client(start_api().url) as elsewhere:
        everywhere = (patient.client, elsewhere)
        # it should wait on every process, and be answered while the first call still runs
        for answer in await together(client.thread(patient.alice, "Slow", "k") for client in everywhere):
            check_busy(answer)
        assert not first.done()
        await let_go(patient.db)
        assert published(await first) == 1
        for client in everywhere:
            again = await client.thread(patient.alice, "Slow", "k")
            assert (again.status, again.json["id"], again.headers["Idempotent-Replayed"]) == (201, 1, "true")
    assert await patient.titles() == ["Slow"]


async def test_reads_that_fill_the_pool_are_refused_soon_and_do_not_make_the_board_look_ill(
    start_patient_api: StartApi, own_db: asyncpg.Connection
) -> None:
    api = start_patient_api(READ_POOL_SIZE="1")
    async with Client(api.url) as client:
        async with own_db.transaction():
            await own_db.execute("LOCK TABLE communities IN ACCESS EXCLUSIVE MODE")
            slow = asyncio.create_task(client.get("/api/communities"))
            await until(lambda: own_db.fetchval(READER_WAITS))
            check_busy(await client.get("/api/stats"), "none")
            assert (await client.get("/api/health")).json["database"] == "ok"
            assert await asyncio.to_thread(api.operator, "/readyz") == (200, "ready")
            assert not slow.done()
        assert (await slow).status == (await client.get("/api/stats")).status == 200


async def ended(calls: list[asyncio.Task[Answer]], count: int) -> bool:
    return sum(call.done() for call in calls) >= count


async def test_rarer_writes_fill_only_their_own_queue(patient: Board, database: str) -> None:
    members = await enlist(patient.db, 3)
    async with head_locked(database):
        changes = [
            asyncio.create_task(patient.client.call("PATCH", "/api/agents/me", {"bio": str(n)}, token=member.token))
            for n in range(30)
            for member in members
        ]
        # it should refuse those that find no room in the queue of account changes while the others wait
        await until(lambda: ended(changes, 25))
        # it should let a registration go on as far as the head
        registration = asyncio.create_task(patient.client.call("POST", "/api/agents/register", {"name": "newcomer"}))
        await blocked(patient.db, 2)
        metrics = patient.api.operator("/metrics")[1]
    assert 'agent_board_writes_waiting{kind="account"} 64' in metrics
    assert 'agent_board_writes_refused_total{kind="account"} 25' in metrics
    assert (await registration).status == 201
    answers = await together(changes)
    assert sorted(answer.status for answer in answers) == [200] * 65 + [503] * 25
    for answer in answers:
        if answer.status == 503:
            check_busy(answer, "profile-update;scope=public;reversible=?1;applied=?0")


async def test_what_will_be_refused_or_changes_nothing_does_not_wait_for_the_head(board: Board, database: str) -> None:
    token = board.alice.token
    followed = {"kind": "announcements"}
    subscription = (await board.client.call("POST", "/api/subscriptions", followed, token=token)).json["id"]
    calls = [
        ("POST", "/api/agents/register", {"name": board.alice.name.upper()}, 400),
        ("PATCH", "/api/agents/me", {"bio": ""}, 200),
        ("POST", "/api/subscriptions", followed, 200),
        ("POST", "/api/subscriptions", {"kind": "thread", "target": "7"}, 404),
        ("POST", f"/api/subscriptions/{subscription}/resume", None, 200),
        ("POST", f"/api/subscriptions/{subscription + 1}/pause", None, 404),
    ]
    async with head_locked(database):
        for method, path, body, status in calls:
            answer = await board.client.call(method, path, body, token=token)
            assert (path, answer.status) == (path, status)

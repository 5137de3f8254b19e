"""Writes that cannot go on are refused in time, with the truth, and go on when they can (architecture 4)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published, together
from tests.log.locks import blocked, head_locked, hold_slow, let_go, queued, slow_begun
from tests.processes import ApiProcess
from tests.web import Answer

StartApi = Callable[..., ApiProcess]
NOT_APPLIED = "post-public;scope=public;reversible=?0;applied=?0"


@dataclass
class Board:
    """A process of the test's own, its client, and a connection beside it."""

    api: ApiProcess
    client: Client
    db: asyncpg.Connection
    alice: Member

    async def titles(self) -> list[str]:
        return [row["title"] for row in await self.db.fetch("SELECT title FROM posts ORDER BY id")]


@pytest.fixture
async def board(start_api: StartApi, own_db: asyncpg.Connection) -> AsyncIterator[Board]:
    """A board with the patience that agents meet."""
    (alice,) = await enlist(own_db, 1)
    api = start_api()
    async with Client(api.url) as client:
        yield Board(api, client, own_db, alice)


@pytest.fixture
async def patient(start_patient_api: StartApi, own_db: asyncpg.Connection) -> AsyncIterator[Board]:
    """A board that waits as long as the test needs, with room for five waiting writes."""
    (alice,) = await enlist(own_db, 1)
    api = start_patient_api(WRITE_QUEUE="5")
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
    # it should go on at once
    again = await board.client.thread(board.alice, "While it is locked", "k")
    assert (again.status, again.json["id"], again.headers["Idempotent-Replayed"]) == (201, 2, None)
    assert await board.titles() == ["Before", "While it is locked"]


async def test_a_repeat_waits_for_the_first_call_of_its_key_and_is_then_sent_away(
    patient: Board, start_api: StartApi
) -> None:
    await hold_slow(patient.db)
    first = asyncio.create_task(patient.client.thread(patient.alice, "Slow", "k"))
    await slow_begun(patient.db)
    async with Client(start_api().url) as elsewhere:
        everywhere = (patient.client, elsewhere)
        # it should wait on the process of the first call and on any other, and answer while the first still runs
        for answer in await together(client.thread(patient.alice, "Slow", "k") for client in everywhere):
            check_busy(answer)
        assert not first.done()
        await let_go(patient.db)
        assert published(await first) == 1
        for client in everywhere:
            again = await client.thread(patient.alice, "Slow", "k")
            assert (again.status, again.json["id"], again.headers["Idempotent-Replayed"]) == (201, 1, "true")
    assert await patient.titles() == ["Slow"]


async def test_a_repeat_whose_first_call_ends_in_time_gets_its_answer(patient: Board) -> None:
    await hold_slow(patient.db)
    first = asyncio.create_task(patient.client.thread(patient.alice, "Slow", "k"))
    await slow_begun(patient.db)
    repeat = asyncio.create_task(patient.client.thread(patient.alice, "Slow", "k"))
    await queued(patient.api, 1)
    await let_go(patient.db)
    answers = await together([first, repeat])
    assert [answer.status for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    assert [answer.headers["Idempotent-Replayed"] for answer in answers] == [None, "true"]


async def test_a_full_queue_refuses_at_once_and_keeps_what_it_has(patient: Board, database: str) -> None:
    members = await enlist(patient.db, 12)
    async with head_locked(database):
        first = asyncio.create_task(patient.client.thread(patient.alice, "The first"))
        await blocked(patient.db, 1)
        calls = [asyncio.create_task(patient.client.thread(member)) for member in members]
        # it should refuse what finds no room while the others still wait
        refused: set[asyncio.Task[Answer]] = set()
        async with asyncio.timeout(60):
            while len(refused) < 7:
                refused = {call for call in calls if call.done()}
                await asyncio.sleep(0.005)
        await queued(patient.api, 5)
    answers = await together(calls)
    assert sorted(answer.status for answer in answers) == [201] * 5 + [503] * 7
    for call in refused:
        check_busy(await call)
    published(await first)
    # it should have written what it answered, and no more
    assert await patient.db.fetchval("SELECT count(*) FROM posts") == 6
    published(await patient.client.thread(patient.alice))

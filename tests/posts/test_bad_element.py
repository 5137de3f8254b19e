"""A bad element of a batch fails on its own: the others are committed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published, together
from tests.posts.locks import blocked, head_locked, queued
from tests.processes import ApiProcess
from tests.web import Answer

GOOD = 12


@dataclass
class Board:
    """A patient process, its client, and a connection that can make the database refuse posts."""

    api: ApiProcess
    url: str
    client: Client
    db: asyncpg.Connection
    alice: Member

    async def in_one_batch(self, calls: list[Callable[[], "asyncio.Task[Answer]"]]) -> list[Answer]:
        """Return the answers to calls that wait together behind another one."""
        async with head_locked(self.url):
            first = asyncio.create_task(self.client.thread(self.alice, "The first"))
            await blocked(self.db, 1)
            waiting = []
            # in this order
            for number, call in enumerate(calls, start=1):
                waiting.append(call())
                await queued(self.api, number)
        published(await first)
        return await together(waiting)


@pytest.fixture
async def board(
    start_patient_api: Callable[..., ApiProcess], database: str, own_db: asyncpg.Connection
) -> AsyncIterator[Board]:
    (alice,) = await enlist(own_db, 1)
    api = start_patient_api()
    async with Client(api.url) as client:
        yield Board(api, database, client, own_db, alice)


async def test_a_bad_post_fails_alone(board: Board) -> None:
    await board.db.execute("ALTER TABLE posts ADD CHECK (title <> 'Bad')")
    for position in (0, GOOD // 2, GOOD):
        await check_a_bad_post(board, position)


async def check_a_bad_post(board: Board, position: int) -> None:
    """Send a batch with a bad post at this position; only that one must fail."""
    before = await board.db.fetchval("SELECT last_id FROM log_head")
    members = await enlist(board.db, GOOD + 1)
    titles = [f"Number {n}" for n in range(GOOD)]
    titles.insert(position, "Bad")

    def call(member: Member, title: str) -> Callable[[], "asyncio.Task[Answer]"]:
        return lambda: asyncio.create_task(board.client.thread(member, title, "k"))

    answers = await board.in_one_batch([call(m, title) for m, title in zip(members, titles, strict=True)])
    bad = answers.pop(position)
    # it should be reported as a server error that changed nothing
    assert (bad.status, bad.code) == (500, "internal_error")
    assert bad.effect == "post-public;scope=public;reversible=?0;applied=?0"
    # it should have committed all the others, in order, without a gap
    assert [published(answer) for answer in answers] == list(range(before + 2, before + 2 + GOOD)), position
    rows = await board.db.fetch("SELECT title FROM posts WHERE id > $1 ORDER BY id", before)
    assert [row["title"] for row in rows] == ["The first", *[title for title in titles if title != "Bad"]]
    # it should not have used up the failed caller's key or limit
    again = await board.client.thread(members[position], "Good", "k")
    assert again.effect.endswith(";applied")

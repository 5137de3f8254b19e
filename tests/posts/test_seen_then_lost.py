"""Nothing is shown that only one server has, however it came to show it: no id ever has two contents for a reader."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from services.board.database.admission import UNCONFIRMED
from services.board.database.failures import DATABASE_FAILURES
from services.board.verifiable_log.checkpoints import find_position
from services.local.postgresql import PostgreSQL
from tests.databases import CopyServer
from tests.load import Client, enlist, published, together
from tests.operations.hand import KEY
from tests.operator.conftest import Command
from tests.posts.conftest import connect
from tests.posts.locks import until
from tests.posts.standby import Standby, both, has_standby, promoted, replicated
from tests.processes import ApiProcess, FanoutProcess, started_together
from tests.web import Answer

Pair = tuple[PostgreSQL, Standby]
Ending = Callable[[PostgreSQL], Awaitable[None]]
TITLE, BODY, HERS = "On one server only", "Its words.", "a key of this post"
WAITING = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')"
EVENTS = "SELECT count(*) FROM inbox WHERE event_id = $1"
END_ALL = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE application_name LIKE 'agent-board %' AND wait_event IS DISTINCT FROM 'SyncRep'
"""
START = "SELECT pg_postmaster_start_time()"
BACKEND = "SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-board writes' LIMIT 1"


class Board:
    """Two API processes and a fan-out process on a primary and its standby, with an author and a follower."""

    def __init__(self, pair: Pair, folder: Path) -> None:
        self.primary, self.standby = pair
        self.url, reading = both(*pair), both(*pair, of=self.primary.reading_url())
        self.apis = [ApiProcess(self.url, folder / f"api{each}", READ_DATABASE_URL=reading) for each in range(2)]
        self.fanout = FanoutProcess(self.url, folder / "fanout", LOG_KEY=KEY)
        self.shown: list[Answer] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Board"]:
        with started_together(self.apis), ExitStack() as later:
            async with Client(self.apis[0].url) as self.client, Client(self.apis[1].url) as self.other:
                db = await connect(self.primary.url())
                self.alice, self.bob = await enlist(db, 2)
                follow = {"kind": "community", "target": "general"}
                answer = await self.client.call("POST", "/api/subscriptions", follow, token=self.bob.token)
                assert answer.status == 201
                self.before = published(await self.client.thread(self.alice, "On both servers"))
                self.lost = self.before + 1
                later.enter_context(self.fanout)
                # a checkpoint whose commit waits would keep a post from its own
                await until(partial(is_signed, db))
                await db.close()
                yield self

    def reads(self, client: Client, post: int) -> dict[str, Coroutine[Any, Any, Answer]]:
        """Return a call of each kind of read, by its path."""
        private = ("/api/inbox", "/api/home", "/api/agents/me", "/api/notifications")
        public = (
            *(f"/api/posts/{post}", f"/api/threads/{post}", f"/api/posts/{post}/receipt", f"/t/{post}"),
            *("/api/activity", "/api/threads", f"/api/search?q={TITLE.replace(' ', '+')}", "/log/checkpoint"),
            *(
                f"/api/agents/{self.alice.name}",
                "/feed.json",
                "/feed.atom",
                f"/feed.atom?thread={post}",
                "/api/stats",
            ),
        )
        calls = {path: client.get(path) for path in public}
        return calls | {path: client.get(path, self.bob.token) for path in private}

    async def read(self, status: int, post: int = 0) -> dict[str, int]:
        """Make each kind of read at both processes, and keep the answers; return those with another status."""
        one, two = (self.reads(client, post or self.lost) for client in (self.client, self.other))
        answers = await together([*one.values(), *two.values()])
        self.shown += answers
        return {p: a.status for p, a in zip([*one, *two], answers, strict=True) if a.status != status}

    async def serves(self, post: int) -> bool:
        """Return whether each kind of read is answered."""
        return await self.read(200, post) == {}

    async def publish(self, client: Client) -> Answer:
        return await client.thread(self.alice, TITLE, HERS, body=BODY)

    async def lose_an_answer(self) -> "asyncio.Task[Answer]":
        """Publish while the standby is away; return the call, whose commit waits."""
        await asyncio.to_thread(self.standby.stop)
        call = asyncio.create_task(self.publish(self.client))
        db = await connect(self.primary.url())
        await until(lambda: db.fetchval(WAITING))
        await db.close()
        return call

    async def shows_nothing(self) -> None:
        """Check that PostgreSQL shows the post, and no process does anything with it."""
        db = await connect(self.primary.url())
        assert await db.fetchval("SELECT last_id FROM log_head") == self.lost
        # a repeated call would be answered from the post
        again = asyncio.create_task(self.publish(self.other))
        assert await self.read(503) == {}
        assert (await again).status == 503
        health = await self.client.get("/api/health")
        assert health.json["database"] == "unavailable"
        assert await Command(self.primary.url())("posts") == (1, "", f"{UNCONFIRMED}\n")
        for process in (*self.apis, self.fanout):
            assert (await asyncio.to_thread(process.operator, "/readyz"))[0] == 503
        assert await db.fetchval(EVENTS, self.lost) == 0
        await db.close()


async def is_signed(db: asyncpg.Connection) -> bool:
    """Return whether a checkpoint covers each post."""
    found = await find_position(db)
    return found is not None and found[1] == 0


@pytest.fixture
def pair(own_server: CopyServer, tmp_path: Path) -> Iterator[Pair]:
    with replicated(own_server, tmp_path / "pair") as pair:
        yield pair


@pytest.fixture
async def board(pair: Pair, tmp_path: Path) -> AsyncIterator[Board]:
    async with Board(pair, tmp_path).running() as board:
        yield board


async def crash(primary: PostgreSQL) -> None:
    await asyncio.to_thread(primary.kill)
    await asyncio.to_thread(primary.start)


async def restart(primary: PostgreSQL) -> None:
    await asyncio.to_thread(primary.stop)
    await asyncio.to_thread(primary.start)


async def crash_of_a_backend(primary: PostgreSQL) -> None:
    """All backends end and the server recovers, but it does not start again."""
    db = await asyncpg.connect(primary.url())
    start = await db.fetchval(START)
    os.kill(await db.fetchval(BACKEND), signal.SIGKILL)
    await until(partial(ended, db))
    await until(partial(answers, primary, start))


async def ended(db: asyncpg.Connection) -> bool:
    return bool(db.is_closed())


async def answers(primary: PostgreSQL, start: object) -> bool:
    try:
        db = await asyncpg.connect(primary.url())
    except DATABASE_FAILURES:
        return False
    assert await db.fetchval(START) == start
    await db.close()
    return True


# After a crash and a restart the server starts again, as it does below: `make check` tries what follows.
@pytest.mark.parametrize(
    "ending",
    [pytest.param(crash, marks=pytest.mark.slow), pytest.param(restart, marks=pytest.mark.slow), crash_of_a_backend],
)
async def test_a_post_that_the_server_shows_after_its_return_is_shown_once_the_standby_has_it(
    board: Board, ending: Ending
) -> None:
    call = await board.lose_an_answer()
    await ending(board.primary)
    await board.shows_nothing()
    await asyncio.to_thread(board.standby.start)
    await has_standby(board.primary.url())
    await until(lambda: board.serves(board.lost))
    assert (await call).status in (201, 503)
    again = await board.publish(board.other)
    assert (published(again), again.json["title"]) == (board.lost, TITLE)
    assert await board.serves(board.lost)


async def wait_for(server: PostgreSQL, standbys: str) -> None:
    """Let each commit of a server wait for these standbys."""
    db = await asyncpg.connect(server.url())
    await db.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{standbys}'")
    await db.execute("SELECT pg_reload_conf()")
    await db.close()


async def test_a_post_that_was_lost_with_its_server_was_seen_by_nobody(board: Board) -> None:
    call = await board.lose_an_answer()
    await crash(board.primary)
    await crash(board.primary)
    await board.shows_nothing()
    await asyncio.to_thread(board.primary.kill)
    await asyncio.to_thread(board.standby.start)
    await wait_for(board.standby, "*")
    await (await promoted(board.standby)).close()
    # commits that a promoted server shows could be lost with it, too
    assert await board.read(503) == {}
    await wait_for(board.standby, "")
    await until(lambda: board.serves(board.before))
    assert (await call).status == 503
    # the id names another post now, and is new to every reader
    assert published(await board.client.thread(board.bob, "On the promoted server")) == board.lost
    assert await board.serves(board.lost)
    assert [answer for answer in board.shown if BODY.encode() in answer.content] == []


async def test_without_a_return_of_the_server_reads_go_on_while_the_standby_is_away(
    board: Board, tmp_path: Path
) -> None:
    call = await board.lose_an_answer()
    fresh = ApiProcess(board.url, tmp_path / "fresh")
    await asyncio.to_thread(fresh.start)
    async with Client(fresh.url) as board.other:
        # more at a time than the processes have connections
        assert await board.serves(board.before)
        db = await connect(board.primary.url())
        assert await db.fetchval(END_ALL) > 0
        # a connection that has ended costs a 503 at most
        await until(lambda: board.serves(board.before))
        assert (await board.client.get(f"/api/posts/{board.lost}")).status == 404
        assert await db.fetchval(WAITING)
        await db.close()
    await asyncio.to_thread(fresh.stop)
    await asyncio.to_thread(board.standby.start)
    assert (await call).status in (201, 503)

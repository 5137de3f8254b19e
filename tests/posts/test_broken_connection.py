"""The connection to PostgreSQL breaks during a commit, and the answer is still true."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.errors import OutcomeUnknown
from services.board.posts.commits import recovery
from services.local.postgresql import PostgreSQL
from tests.databases import create_database
from tests.load import Client, Member, enlist, published
from tests.posts.inside import publication, running_committer
from tests.posts.locks import blocked, head_locked, until
from tests.processes import ApiProcess
from tests.proxy import Proxy

APPLIED = "post-public;scope=public;reversible=?0;applied"
VOTED = "vote-public;scope=public;reversible=?1"


@dataclass
class Board:
    """A process that writes to PostgreSQL through a proxy, its client, and a direct connection."""

    proxy: Proxy
    client: Client
    db: asyncpg.Connection
    alice: Member
    bob: Member

    async def titles(self) -> list[str]:
        return [row["title"] for row in await self.db.fetch("SELECT title FROM posts ORDER BY id")]


@pytest.fixture
async def board(
    postgresql: PostgreSQL,
    database: str,
    own_db: asyncpg.Connection,
    start_patient_api: Callable[..., ApiProcess],
) -> AsyncIterator[Board]:
    alice, bob = await enlist(own_db, 2)
    async with Proxy(postgresql.port) as proxy:
        urls = {"DATABASE_URL": proxy.url(database), "READ_DATABASE_URL": database}
        api = await asyncio.to_thread(start_patient_api, **urls)
        async with Client(api.url) as client:
            # the first use of a token is recorded
            for member in (alice, bob):
                assert (await client.get("/api/agents/me", member.token)).status == 200
            yield Board(proxy, client, own_db, alice, bob)
        await asyncio.to_thread(api.stop)


@pytest.mark.parametrize("after", [False, True], ids=["before the statement arrives", "before the answer arrives"])
async def test_a_cut_connection_still_gives_the_one_post(board: Board, after: bool) -> None:
    for key in (None, "k"):
        before, title = await board.titles(), f"Cut off with {key}"
        trap = board.proxy.keep(title, answer=after)
        call = asyncio.create_task(board.client.thread(board.alice, title, key))
        await trap.reached()
        # it should in fact be committed, or not yet
        assert await board.titles() == [*before, *([title] if after else [])]
        trap.cut()
        answer = await call
        # it should be created once, and answered as created
        assert (answer.status, answer.json["id"], answer.effect) == (201, len(before) + 1, APPLIED)
        # it should not state the limit if only the post was found again
        assert ("RateLimit" in answer.headers) == (not after)
        assert published(await board.client.thread(board.alice, "The next")) == len(before) + 2
        assert await board.titles() == [*before, title, "The next"]
    again = await board.client.thread(board.alice, title, key)
    assert (again.content, again.headers["Idempotent-Replayed"]) == (answer.content, "true")


async def test_a_statement_that_is_still_under_way_behind_a_cut_connection_is_not_done_twice(
    board: Board, database: str
) -> None:
    for key in (None, "k"):
        before, title = await board.titles(), f"Orphaned with {key}"
        async with head_locked(database):
            call = asyncio.create_task(board.client.thread(board.alice, title, key))
            await blocked(board.db, 1)
            first = await board.db.fetchval("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            board.proxy.cut_all()
            # it should cancel the statement with the lost answer, and send another
            await until(partial(another_waits, board.db, first))
        answer = await call
        assert (answer.status, answer.json["id"], answer.effect) == (201, len(before) + 1, APPLIED)
        assert await board.titles() == [*before, title]


async def another_waits(db: asyncpg.Connection, first: int) -> bool:
    """Return whether one backend waits for a lock, and is not the first."""
    rows = await db.fetch("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    return len(rows) == 1 and rows[0]["pid"] != first


async def test_a_vote_on_a_cut_connection_is_said_to_be_unknown_and_may_be_repeated(board: Board) -> None:
    # a number whose bytes occur in no other message
    await board.db.execute("UPDATE log_head SET last_id = $1", 0x11223344556676)
    # cut off before the statement arrives, and before the answer does
    for after in (False, True):
        thread = published(await board.client.thread(board.alice))
        trap = board.proxy.keep(thread.to_bytes(8, "big"), answer=after)
        call = asyncio.create_task(board.client.vote(board.bob, thread, 1))
        await trap.reached()
        trap.cut()
        answer = await call
        # it should claim neither that it happened nor that it did not
        assert (answer.status, answer.effect) == (503, VOTED)
        assert int(answer.headers["Retry-After"]) >= 1
        again = await board.client.vote(board.bob, thread, 1)
        assert (again.status, again.json["score"], again.json["previous"]) == (200, 1, int(after))
        assert again.effect == VOTED + (";applied=?0" if after else ";applied")


@pytest.mark.parametrize("committed", [True, False])
async def test_only_what_is_found_is_answered_after_a_move_to_another_server(
    postgresql: PostgreSQL,
    database: str,
    own_db: asyncpg.Connection,
    committed: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recovery, "RESOLVE_SECONDS", 120)
    alice, bob = await enlist(own_db, 2)
    async with Proxy(postgresql.port) as proxy, running_committer(proxy.url(database)) as committer:
        trap = proxy.keep(alice.token_hash, answer=committed)
        publishing = asyncio.create_task(committer.publish(publication(alice)))
        await trap.reached()
        proxy.away = True
        trap.cut()
        await own_db.close()
        # a copy has the same rows but not the same timeline, like a standby after its promotion
        name = urlsplit(database).path[1:]
        copy = await asyncio.to_thread(create_database, postgresql, f"copy_of_{name}", name)
        committer.connection.admission.url = copy
        if committed:
            assert (await publishing).outcome == "created"
        else:
            with pytest.raises(OutcomeUnknown):
                await publishing
        # it should continue there, without a post that was not found
        assert (await committer.publish(publication(bob))).post_id == 1 + committed

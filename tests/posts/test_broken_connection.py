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
from tests.load import Client, Member, enlist, published, together
from tests.posts.inside import publication, running_committer
from tests.posts.locks import blocked, head_locked, queued, until
from tests.processes import ApiProcess
from tests.proxy import Proxy

APPLIED = "post-public;scope=public;reversible=?0;applied"
VOTED = "vote-public;scope=public;reversible=?1"

END_ALL = """
SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'agent-board%'
"""


@dataclass
class Board:
    """A process that writes to PostgreSQL through a proxy, its client, and a direct connection."""

    api: ApiProcess
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
            yield Board(api, proxy, client, own_db, alice, bob)
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


async def test_a_whole_batch_behind_a_cut_connection_is_answered_one_by_one(board: Board, database: str) -> None:
    members = await enlist(board.db, 20)
    async with head_locked(database):
        first = asyncio.create_task(board.client.thread(board.alice, "The first"))
        await blocked(board.db, 1)
        trap = board.proxy.keep("Number 7", answer=True)
        calls = [asyncio.create_task(board.client.thread(m, f"Number {n}")) for n, m in enumerate(members)]
        await queued(board.api, len(members))
    published(await first)
    await trap.reached()
    trap.cut()
    answers = await together(calls)
    assert {answer.effect for answer in answers} == {APPLIED}
    rows = await board.db.fetch("SELECT id, title FROM posts WHERE id > 1")
    assert {(row["id"], row["title"]) for row in rows} == {(published(a), a.json["title"]) for a in answers}
    assert len(rows) == 20


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


async def test_a_registration_on_a_cut_connection_is_said_to_be_unknown_and_may_be_repeated(board: Board) -> None:
    # cut off before the statement arrives, and before the answer does
    for name, after in (("cut-off", False), ("cut-off-later", True)):
        body = {"name": name, "bio": f"A bio of {name} that stands in no other message."}
        trap = board.proxy.keep(body["bio"], answer=after)
        call = asyncio.create_task(board.client.call("POST", "/api/agents/register", body, key="a-key-of-16-char"))
        await trap.reached()
        trap.cut()
        answer = await call
        assert (answer.status, answer.effect) == (503, "account-create;scope=public;reversible=?0")
        again = await board.client.call("POST", "/api/agents/register", body, key="a-key-of-16-char")
        assert again.status == 201
        assert (await board.client.get("/api/agents/me", again.json["token"])).status == 200
        assert await board.db.fetchval("SELECT count(*) FROM agents WHERE name = $1", name) == 1


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


async def test_connections_that_the_server_ended_while_they_were_idle_cost_a_503_at_most(
    postgresql: PostgreSQL, database: str, own_db: asyncpg.Connection, start_patient_api: Callable[..., ApiProcess]
) -> None:
    (alice,) = await enlist(own_db, 1)
    async with Proxy(postgresql.port) as proxy:
        api = await asyncio.to_thread(start_patient_api, DATABASE_URL=proxy.url(database))
        async with Client(api.url) as client:
            thread = published(await client.thread(alice))
            proxy.lingers = True
            # the driver has received the server's last message, but not yet the end of the connections
            await own_db.execute(END_ALL)
            for answer in (
                await client.get("/api/threads"),
                await client.get(f"/api/threads/{thread}", alice.token),
                await client.thread(alice),
                await client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=alice.token),
                await client.call("POST", "/api/agents/register", {"name": "new"}),
            ):
                assert answer.status in (200, 201, 503)
                assert answer.status != 503 or int(answer.headers["Retry-After"]) >= 1
            proxy.lingers = False
            proxy.cut_all()
            # it should resume by itself
            await until(lambda: answers(client, "/api/threads"))
            published(await client.thread(alice))
        await asyncio.to_thread(api.stop)


async def answers(client: Client, path: str) -> bool:
    return (await client.get(path)).status == 200


async def test_a_post_whose_fate_cannot_be_found_out_in_time_is_said_to_be_unknown(
    postgresql: PostgreSQL, database: str, own_db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "RESOLVE_SECONDS", 0.5)
    (alice,) = await enlist(own_db, 1)
    async with Proxy(postgresql.port) as proxy, running_committer(proxy.url(database)) as committer:
        trap = proxy.keep(alice.token_hash, answer=True)
        publishing = asyncio.create_task(committer.publish(publication(alice)))
        await trap.reached()
        proxy.away = True
        trap.cut()
        with pytest.raises(OutcomeUnknown):
            await publishing
        # it should resume by itself when the database is back
        proxy.away = False
        assert (await committer.publish(publication(alice))).post_id == 2

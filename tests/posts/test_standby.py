"""A standby neither settles what became of a post, nor answers reads, nor is forgotten by a settlement."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from services.board.database import connections
from services.board.database.admission import UNCONFIRMED, Admission
from services.board.database.backends import Unconfirmed
from services.board.database.pool import write_pool
from services.board.database.readiness import wait_for_revision
from services.board.errors import OutcomeUnknown, Unavailable
from services.board.posts.commits import recovery
from services.board.posts.publications import Outcome
from services.fanout.checkpoints import Checkpoints
from services.fanout.worker import Work, Worker
from services.local.postgresql import PostgreSQL
from services.process.metrics import Registry
from tests.databases import CopyServer
from tests.fanout.test_inboxes import post
from tests.load import Client, Member, enlist, published
from tests.metrics import metric
from tests.operations.hand import SIGNER
from tests.operator.conftest import Command
from tests.posts.conftest import connect
from tests.posts.inside import new_committer, publication, running_committer
from tests.posts.locks import until
from tests.posts.standby import Standby, has_standby, replicated
from tests.processes import ApiProcess
from tests.proxy import Proxy

Pair = tuple[PostgreSQL, Standby]
Waiting = Callable[[], Awaitable[None]]
END_WAITING = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
CANCEL_WAITING = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
CALM = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')"
SHOWN = "UPDATE agents SET bio = 'Shown.' WHERE id = $1"
BIO = "SELECT bio FROM agents WHERE id = $1"
WAITING = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')"
COVERED = "SELECT size > 1 FROM log_state"
PUBLISHED = "SELECT count(*) FROM posts WHERE author_id = $1"


@pytest.fixture(scope="module")
def pair(own_server: CopyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with replicated(own_server, tmp_path_factory.mktemp("pair")) as pair:
        yield pair


@pytest.fixture
async def db(pair: Pair) -> AsyncIterator[asyncpg.Connection]:
    connection = await connect(pair[0].url())
    yield connection
    await connection.close()


@pytest.fixture
async def alice(db: asyncpg.Connection) -> Member:
    return (await enlist(db, 1))[0]


@pytest.mark.parametrize("returns", [True, False], ids=["the primary returns", "the primary stays away"])
async def test_a_standby_that_lags_does_not_settle_a_post(
    pair: Pair, db: asyncpg.Connection, alice: Member, returns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, standby = pair
    lagging = await asyncpg.connect(standby.url())
    await lagging.execute("SELECT pg_wal_replay_pause()")
    async with Proxy(primary.port) as proxy, running_committer(proxy.url(primary.url())) as committer:
        trap = proxy.keep(alice.token_hash, answer=True)
        publishing = asyncio.create_task(committer.publish(publication(alice)))
        await trap.reached()
        monkeypatch.setattr(recovery, "RESOLVE_SECONDS", 300 if returns else 0.5)
        await lead_to(proxy, standby)
        trap.cut()
        if returns:
            await until(partial(has_tried, proxy, publishing))
            await lead_to(proxy, primary)
            assert (await publishing).outcome == "created"
        else:
            with pytest.raises(OutcomeUnknown):
                await publishing
    await lagging.execute("SELECT pg_wal_replay_resume()")
    await lagging.close()
    assert await db.fetchval(PUBLISHED, alice.id) == 1


async def lead_to(proxy: Proxy, server: PostgreSQL) -> None:
    """Let new connections lead to another server."""
    proxy.target, proxy.accepted = server.port, 0


async def has_tried(proxy: Proxy, publishing: "asyncio.Task[Outcome]") -> bool:
    """Return whether the committer has tried three more connections, or has answered too early."""
    return proxy.accepted >= 3 or publishing.done()


@pytest.mark.parametrize(
    "statement",
    [None, END_WAITING, CANCEL_WAITING],
    ids=["the connection breaks", "the backend is ended", "the wait is cancelled"],
)
async def test_a_post_that_is_on_no_standby_is_not_answered_as_created(
    pair: Pair, db: asyncpg.Connection, alice: Member, statement: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, standby = pair
    async with Proxy(primary.port) as proxy, running_committer(proxy.url(primary.url())) as committer:
        await asyncio.to_thread(standby.stop)
        with monkeypatch.context() as patch:
            patch.setattr(recovery, "RESOLVE_SECONDS", 0.5)
            publishing = asyncio.create_task(committer.publish(publication(alice)))
            await until(lambda: db.fetchval(WAITING))
            # of a cancelled wait, PostgreSQL reports the commit as done, and only warns
            if statement:
                await db.execute(statement)
            else:
                proxy.cut_all()
            with pytest.raises(OutcomeUnknown):
                await publishing
        # it should stay invisible, unless the server itself has given up
        assert await db.fetchval(PUBLISHED, alice.id) == bool(statement)
        await asyncio.to_thread(standby.start)
        await has_standby(primary.url())
        assert (await committer.publish(publication(alice))).outcome == "created"
    assert await db.fetchval(PUBLISHED, alice.id) == 2


async def stop_a_process_that_publishes(url: str, alice: Member, waiting: Waiting) -> None:
    committer = new_committer(url)
    await committer.connection.open()
    publishing = asyncio.create_task(committer.publish(publication(alice)))
    await waiting()
    await committer.close()
    with pytest.raises(OutcomeUnknown):
        await publishing


async def leave_a_pool(url: str, alice: Member, waiting: Waiting) -> None:
    async with await write_pool(url) as pool:
        await leave(pool.fetchval(SHOWN, alice.id), waiting)


async def take_too_long(url: str, alice: Member, waiting: Waiting) -> None:
    async with await write_pool(url) as pool:
        pool.use_seconds = 0.2
        with pytest.raises(asyncpg.ConnectionDoesNotExistError):
            await pool.fetchval(SHOWN, alice.id)
        await waiting()


async def interrupt_a_command(url: str, alice: Member, waiting: Waiting) -> None:
    async def act() -> None:
        async with connections.direct_connection(url) as connection:
            await connection.execute(SHOWN, alice.id)

    await leave(act(), waiting)


async def stop_a_fanout(url: str, alice: Member, waiting: Waiting) -> None:
    worker = Worker(Writer(alice), Admission(url), Registry())
    worker.start()
    await waiting()
    await worker.close()


class Writer:
    """A consumer whose step waits for the standby."""

    name = "writer"

    def __init__(self, alice: Member) -> None:
        self.alice = alice

    async def step(self, connection: asyncpg.Connection) -> Work:
        await connection.execute("SET synchronous_commit = on")
        await connection.execute(SHOWN, self.alice.id)
        return Work.NONE

    def failed(self, error: Exception) -> None:
        pass


async def leave(work: Coroutine[Any, Any, Any], waiting: Waiting) -> None:
    """Begin to write, and give up while the commit waits."""
    task = asyncio.create_task(work)
    await waiting()
    task.cancel()
    await asyncio.wait({task})


@pytest.mark.parametrize(
    "ending", [stop_a_process_that_publishes, leave_a_pool, take_too_long, interrupt_a_command, stop_a_fanout]
)
async def test_nothing_of_ours_ends_the_wait_of_a_commit(
    pair: Pair, db: asyncpg.Connection, alice: Member, ending: Callable[[str, Member, Waiting], Awaitable[None]]
) -> None:
    primary, standby = pair
    await asyncio.to_thread(standby.stop)

    async def waiting() -> None:
        await until(lambda: db.fetchval(WAITING))

    await ending(primary.url(), alice, waiting)
    assert await db.fetchval(WAITING)
    assert (await db.fetchval(PUBLISHED, alice.id), await db.fetchval(BIO, alice.id)) == (0, "")
    await asyncio.to_thread(standby.start)
    await has_standby(primary.url())
    await until(lambda: db.fetchval(CALM))


async def test_a_server_is_confirmed_by_its_standby_only(pair: Pair, db: asyncpg.Connection) -> None:
    primary, standby = pair
    await db.execute("DELETE FROM confirmed_starts")
    await asyncio.to_thread(standby.stop)
    admission = Admission(primary.url())
    admitting = asyncio.create_task(admission.admit(db))
    other = await connect(primary.url())
    await until(lambda: other.fetchval(WAITING))
    await other.execute(CANCEL_WAITING)
    with pytest.raises(Unconfirmed):
        await admitting
    assert await Command(primary.url())("posts") == (1, "", f"{UNCONFIRMED}\n")
    # many connections wait for one commit
    waiting = [asyncio.create_task(admission.admit(each)) for each in (db, other)]
    third = await connect(primary.url())
    await until(lambda: third.fetchval(WAITING))
    await asyncio.to_thread(standby.start)
    await until(lambda: confirmed(admission, third))
    await asyncio.wait(waiting)
    await admission.close()
    for connection in (other, third):
        await connection.close()


async def confirmed(admission: Admission, connection: asyncpg.Connection) -> bool:
    try:
        await admission.admit(connection)
    except Unconfirmed:
        return False
    return True


async def test_a_checkpoint_that_is_on_no_standby_is_shown_to_nobody(
    pair: Pair, db: asyncpg.Connection, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, standby = pair
    await post(db, alice)
    await asyncio.to_thread(standby.stop)
    monkeypatch.setattr(connections, "COMMAND_SECONDS", 0.5)
    worker = Worker(Checkpoints(SIGNER, registry := Registry()), Admission(primary.url()), registry)
    worker.start()
    await until(partial(has_gone_on, registry))
    # it should stay invisible, because a fail-over would lose it
    assert await db.fetchval(WAITING)
    assert not await db.fetchval(COVERED)
    await asyncio.to_thread(standby.start)
    await has_standby(primary.url())
    await until(lambda: db.fetchval(COVERED))
    await worker.close()


async def has_gone_on(registry: Registry) -> bool:
    """Return whether a fan-out has signed, or has given up and found its first step still under way."""
    return any(metric(registry, f'agent_board_log_steps_total{{outcome="{each}"}}') for each in ("signed", "busy"))


async def test_an_address_that_leads_to_a_standby_for_a_while_gives_503_and_no_500(
    pair: Pair, alice: Member, tmp_path: Path
) -> None:
    primary, standby = pair
    async with Proxy(primary.port) as proxy:
        api = ApiProcess(proxy.url(primary.url()), tmp_path)
        await asyncio.to_thread(api.start)
        async with Client(api.url) as client:
            published(await client.thread(alice))
            assert (await client.get("/api/threads")).status == 200
            await lead_to(proxy, standby)
            proxy.cut_all()
            for path in ("/api/threads", "/api/agents/me", "/api/stats"):
                answer = await client.get(path, alice.token)
                assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
            for answer in (
                await client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=alice.token),
                await client.call("POST", "/api/agents/register", {"name": "on-a-standby"}),
            ):
                assert (answer.status, answer.effect.endswith(";applied=?0")) == (503, True)
            assert (await client.get("/api/health")).json["database"] == "unavailable"
            assert (await asyncio.to_thread(api.operator, "/readyz"))[0] == 503
            await lead_to(proxy, primary)
            await until(lambda: answers(client, "/api/threads"))
            published(await client.thread(alice))
        await asyncio.to_thread(api.stop)


async def answers(client: Client, path: str) -> bool:
    return (await client.get(path)).status == 200


@pytest.mark.parametrize("variable", ["DATABASE_URL", "READ_DATABASE_URL"])
async def test_an_address_that_leads_to_a_standby_is_refused_at_the_start(pair: Pair, variable: str) -> None:
    primary, standby = pair
    urls = {"DATABASE_URL": primary.url(), "READ_DATABASE_URL": primary.url(), variable: standby.url()}
    with pytest.raises(Unavailable, match=f"^{variable} leads to a standby; it must lead to the primary"):
        await wait_for_revision(urls["DATABASE_URL"], 0, urls["READ_DATABASE_URL"])

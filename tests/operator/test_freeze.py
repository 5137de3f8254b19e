"""agent-board freeze and thaw (interface 14.3): what agents and people see of it, on every replica."""

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import pytest

from services.board.access import freezes
from services.board.database.connections import writing_connection
from services.board.moderation.freeze_trial import TRIALS
from services.fanout.upkeep import Restorations
from services.fanout.worker import Work
from tests.figures import figures  # noqa: F401 - a fixture
from tests.operations.hand import deliver_all
from tests.operator import play
from tests.operator.conftest import Cast, Command
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

REASON = "A wave of spam <b>from</b> 80 accounts."
SHOWN = "A wave of spam &lt;b&gt;from&lt;/b&gt; 80 accounts."
AUDIT = "SELECT who, action, subject, reason, until FROM audit ORDER BY id"
WAITING = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
WAITERS = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
QUICKLY = {"LIMIT_POSTS": "10000/60"}
PATIENCE = 60.0
WRITERS = 2
"""On each of the three replicas."""


def pages(web: Web, agent: Agent, thread: dict[str, Any]) -> Sequence[str]:
    """Return the pages for people that can change."""
    paths = ("/", "/about", "/agents", f"/a/{agent.name}", f"/t/{thread['id']}", "/requests", "/moderation", "/nothing")
    return [web.get(path, headers={"Accept": "text/html"}).content.decode() for path in paths]


def again_of(url: str, agent: Agent) -> Agent:
    """Return an agent with a connection of its own."""
    assert agent.token is not None
    return Agent(url, agent.token, agent.name)


async def until(condition: Callable[[], bool], work: Sequence[Future[None]] = ()) -> None:
    """Wait, in a thread, until a condition holds, as long as no part of the work has ended."""

    def wait() -> None:
        ends = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < ends
            for one in work:
                assert not one.done(), one.exception()
            time.sleep(0.02)

    await asyncio.to_thread(wait)


async def test_every_replica_states_it_at_once_with_the_reason_and_the_end(
    board: asyncpg.Connection, start_api: Callable[..., ApiProcess], command: Command
) -> None:
    with Web(start_api().url) as one, Web(start_api().url) as other:
        alice = one.register()
        thread = alice.thread()
        for web in (one, other):
            assert not any(SHOWN in page for page in pages(web, alice, thread))
            assert (web.get("/api/start").json["frozen"], web.get("/api/health").json["frozen"]) == (None, None)
        status, said, _ = await command("freeze", "--reason", REASON, "--for", "2h")
        assert (status, said[:30]) == (0, "Writing is now frozen until 20")
        for web in (one, other):
            found = web.get("/api/start").json["frozen"]
            assert (found["reason"], round(found["until"] - found["since"])) == (REASON, 7200)
            assert web.get("/api/health").json | {"time": 0} == other.get("/api/health").json | {"time": 0}
            assert (web.get("/api/health").status, web.get("/api/health").json["frozen"]) == (200, found)
            assert all(SHOWN in page and "until <time" in page for page in pages(web, alice, thread))
            refused = web.post("/api/threads", {"title": "t", "body": "b"}, token=alice.token)
            assert (refused.status, refused.json["frozen"]) == (503, found)
        assert (await command("freeze", "--reason", REASON))[1].startswith("Writing is now frozen. ")
        assert (await command("freeze", "--reason", REASON))[1].startswith("Writing is already frozen. ")
        assert other.get("/api/start").json["frozen"] == found | {"until": None}
        assert [(done["action"], done["post_id"], done["agent"]) for done in moderation(one)] == [
            ("freeze", None, None)
        ] * 2
        assert (await command("thaw", "--reason", "It is over."))[1] == "Agents can now write.\n"
        assert (await command("thaw"))[1] == "Agents can already write.\n"
        for web in (one, other):
            assert not any(SHOWN in page for page in pages(web, alice, thread))
            assert (web.get("/api/start").json["frozen"], web.get("/api/health").json["frozen"]) == (None, None)
            assert moderation(web)[-1]["action"] == "thaw"
            assert web.post("/api/threads", {"title": "t", "body": "b"}, token=alice.token).status == 201
        (first, second, third) = [tuple(row) for row in await board.fetch(AUDIT)]
        assert (first[:4], first[4]) == (("olga", "freeze", "board", REASON), found["until"])
        assert (second[1:], third) == (
            ("freeze", "board", REASON, None),
            ("olga", "thaw", "board", "It is over.", None),
        )


def moderation(web: Web) -> list[dict[str, Any]]:
    return list(web.get("/api/moderation").json["items"])


class Slowly:
    """Reads with an answer that comes late."""

    def __init__(self, reads: asyncpg.Connection, seconds: float) -> None:
        self.reads, self.seconds = reads, seconds

    async def fetchrow(self, statement: str) -> asyncpg.Record | None:
        row = await self.reads.fetchrow(statement)
        await asyncio.sleep(self.seconds)
        return row


async def test_a_slow_read_does_not_prolong_what_pages_show(board: asyncpg.Connection) -> None:
    await freezes.freeze(board, REASON, "olga", 0.2)
    shown: Any = freezes.FreezeInForce()
    await shown.follow(Slowly(board, 0.3))
    assert shown.freeze is not None
    assert shown.has_ended()


async def test_it_ends_by_itself_and_nothing_has_to_run_for_that(
    board: asyncpg.Connection, start_api: Callable[..., ApiProcess], command: Command
) -> None:
    with Web(start_api().url) as one, Web(start_api().url) as other:
        alice = one.register()
        thread = alice.thread()
        await command("freeze", "--reason", REASON, "--for", "5s")
        for web in (one, other):
            assert any(SHOWN in page for page in pages(web, alice, thread))
        await until(lambda: alice.post("/api/threads", {"title": "t", "body": "b"}).status == 201)
        for web in (one, other):
            await until(lambda web=web: web.get("/api/start").json["frozen"] is None)  # type: ignore[misc]
            assert not any(SHOWN in page for page in pages(web, alice, thread))
            assert web.get("/api/health").json["frozen"] is None
        # the fan-out publishes the end, once
        assert [done["action"] for done in moderation(one)] == ["freeze"]
        restorations = Restorations()
        assert [await restorations.step(board) for _ in range(2)] == [Work.ALL, Work.NONE]
        assert (await command("thaw"))[1] == "Agents can already write.\n"
        for web in (one, other):
            assert [done["action"] for done in moderation(web)] == ["freeze", "thaw"]
        assert tuple(await board.fetchrow(f"{AUDIT} DESC LIMIT 1"))[:2] == ("the board", "thaw")
        assert (await command("freeze", "--reason", REASON, "--for", "5s"))[1].startswith("Writing is now frozen until")


@pytest.mark.parametrize("order", [("thaw",), ("freeze", "--reason", REASON)], ids=lambda order: order[0])
async def test_a_command_after_its_end_publishes_the_end_first(
    order: tuple[str, ...], board: asyncpg.Connection, command: Command
) -> None:
    await freezes.freeze(board, REASON, "olga", 3600)
    assert await freezes.thaw_due(board) is False
    await board.execute("UPDATE freezes SET until = now()")
    await command(*order)
    acts = [(row["who"], row["action"]) for row in await board.fetch(AUDIT)]
    assert acts == [("olga", "freeze"), ("the board", "thaw"), ("olga", "freeze")][: 1 + len(order)]


async def test_a_frozen_board_refuses_registrations_whether_they_are_open_or_closed(
    start_api: Callable[..., ApiProcess], command: Command
) -> None:
    with Web(start_api().url) as web:
        await command("registration", "closed")
        await command("freeze", "--reason", REASON)
        # while registration is closed, no body is answered with what is wrong in it, with a key or without
        for headers in ({}, {"Idempotency-Key": "a-key-of-16-char"}):
            for body in ({"name": "alice"}, {"nome": "alice"}):
                refused = await asyncio.to_thread(web.post, "/api/agents/register", body, headers=headers)
                assert (refused.status, refused.code) == (503, "frozen")
        await command("thaw")
        refused = await asyncio.to_thread(web.post, "/api/agents/register", {"name": "alice"})
        assert (refused.status, refused.code) == (403, "registration_closed")


async def test_an_acknowledgement_in_flight_is_committed_before_it(
    board: asyncpg.Connection, board_url: str, cast: Cast, command: Command
) -> None:
    await board.fetchval("SELECT outcome FROM subscribe($1, 'community', 'meta', 100)", cast.bob)
    assert await play.published(board, play.Post(cast.alice, community="meta"))
    await deliver_all(board)
    other = await writing_connection(board_url)
    try:
        async with asyncio.timeout(60), other.transaction():
            outcome, acked_at = await other.fetchrow("SELECT outcome, acked_at FROM acknowledge($1, 1)", cast.bob)
            frozen = asyncio.create_task(command("freeze", "--reason", REASON, "--json"))
            while not await board.fetchval(WAITING):
                assert not frozen.done()
                await asyncio.sleep(0.02)
        assert (outcome, (await frozen)[0]) == ("acknowledged", 0)
        assert acked_at < await board.fetchval("SELECT since FROM freezes")
    finally:
        await other.close()
    assert await board.fetchval("SELECT outcome FROM acknowledge($1, 1)", cast.bob) == "frozen"


async def test_a_write_that_waits_while_it_is_committed_is_refused(
    board: asyncpg.Connection, board_url: str, cast: Cast
) -> None:
    followed = await board.fetchval("SELECT id FROM subscribe($1, 'community', 'meta', 100)", cast.bob)
    calls = TRIALS | {"set_subscription": f"set_subscription($1, {followed}, 'paused')"}
    async with AsyncExitStack() as stack, asyncio.timeout(PATIENCE):
        others = [await writing_connection(board_url) for _ in calls]
        for other in others:
            stack.push_async_callback(other.close)
        async with board.transaction():
            await freezes.freeze(board, REASON, "olga")
            writes = [
                asyncio.create_task(other.fetchval(f"SELECT outcome FROM {call}", cast.bob))
                for other, call in zip(others, calls.values(), strict=True)
            ]
            while await board.fetchval(WAITERS) < len(calls):
                assert not [(name, w.result()) for name, w in zip(calls, writes, strict=True) if w.done()]
                await asyncio.sleep(0.02)
        assert dict(zip(calls, await asyncio.gather(*writes), strict=True)) == dict.fromkeys(calls, "frozen")


@dataclass
class Writer:
    """Publishes with a new key for each post, and repeats a post until it is accepted. `done` are the accepted ones."""

    agent: Agent
    ended: threading.Event
    done: list[tuple[str, Answer]] = field(default_factory=list)
    refused: int = 0

    def write(self) -> None:
        """Go on until the end; a post that was refused is never given up."""
        while not self.ended.is_set():
            key = secrets.token_hex(16)
            while (answer := self.post(key)).status != 201:
                assert (answer.status, answer.code) == (503, "frozen")
                self.refused += 1
                time.sleep(0.02)
            self.done.append((key, answer))

    def post(self, key: str) -> Answer:
        return self.agent.post("/api/threads", {"title": "t", "body": key}, headers={"Idempotency-Key": key})


async def test_under_load_on_three_replicas_it_is_exact_and_thaws_at_once(
    board: asyncpg.Connection,
    start_api: Callable[..., ApiProcess],
    command: Command,
    figures: dict[str, str],  # noqa: F811
) -> None:
    ended = threading.Event()
    urls = [start_api(**QUICKLY).url for _ in range(3)]
    with ExitStack() as clients, ThreadPoolExecutor(3 * WRITERS) as threads:
        webs = [clients.enter_context(Web(url)) for url in urls]
        agents = [clients.enter_context(web.register()) for web in webs for _ in range(WRITERS)]
        writers = [Writer(agent, ended) for agent in agents]
        work = [threads.submit(writer.write) for writer in writers]
        try:
            await until(lambda: all(len(writer.done) > 5 for writer in writers), work)
            await command("freeze", "--reason", REASON)
            frozen_with = await board.fetchval("SELECT last_id FROM log_head")
            await until(lambda: all(writer.refused > 5 for writer in writers), work)
            key, first = writers[0].done[0]
            # the writers use their connections meanwhile
            own, other = (Writer(clients.enter_context(again_of(urls[0], agent)), ended) for agent in agents[:2])
            assert (await asyncio.to_thread(other.post, key)).status == 503
            again = await asyncio.to_thread(own.post, key)
            assert (again.status, again.content) == (201, first.content)
            assert await board.fetchval("SELECT last_id FROM log_head") == frozen_with
            before = [len(writer.done) for writer in writers]
            await command("thaw")
            await until(lambda: all(len(w.done) > count for w, count in zip(writers, before, strict=True)), work)
        finally:
            ended.set()
        for one in work:
            one.result()
    since, thawed = await board.fetchrow(
        "SELECT (SELECT at FROM audit WHERE action = 'freeze'), (SELECT at FROM audit WHERE action = 'thaw')"
    )
    times = [row[0] for row in await board.fetch("SELECT created FROM posts ORDER BY id")]
    assert times[frozen_with - 1] <= since
    assert times[frozen_with] > thawed
    keys = [row[0] for row in await board.fetch("SELECT idempotency_key FROM posts ORDER BY idempotency_key")]
    done = [entry for writer in writers for entry in writer.done]
    assert keys == sorted(key for key, _ in done), "none is lost, none is doubled"
    assert len({answer.json["id"] for _, answer in done}) == len(done)
    refused = sum(writer.refused for writer in writers)
    figures["freeze under load"] = (
        f"{len(done)} posts, {refused} refused; last post {since - times[frozen_with - 1]:.4f} s before it, first one "
        f"{times[frozen_with] - thawed:.4f} s after thaw"
    )

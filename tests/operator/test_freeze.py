"""agent-board freeze and thaw (interface 14.3): its effect on agents and people, on every replica."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import asyncpg

from services.board.access import freezes
from services.board.database.connections import writing_connection
from services.board.database.revision import functions
from services.fanout.upkeep import Restorations
from services.fanout.worker import Work
from tests.operations.hand import deliver_all
from tests.operator import play
from tests.operator.conftest import Cast, Command
from tests.processes import ApiProcess
from tests.web import Agent, Web

REASON = "A wave of spam <b>from</b> 80 accounts."
SHOWN = "A wave of spam &lt;b&gt;from&lt;/b&gt; 80 accounts."
# Each is a call of an agent with the token $1, which would succeed or find nothing if writing were not frozen.
WRITES = {
    "publish": """publish(ARRAY[gen_random_uuid()], ARRAY[$1::bytea], ARRAY[NULL]::text[], ARRAY[NULL]::bigint[],
        ARRAY[NULL]::bigint[], ARRAY['t'], ARRAY['b'], ARRAY['general'], ARRAY['[]'], ARRAY[NULL]::text[], 1, 60,
        true)""",
    "vote": "vote(ARRAY[$1::bytea], ARRAY[1]::bigint[], ARRAY[1])",
    "register": "register('freeze-trial', '', '', '{}', '', sha256($1), NULL, 0, '{}')",
    "edit_profile": "edit_profile($1, 'b', NULL, NULL)",
    "rotate": "rotate($1, sha256($1), NULL, 0)",
    "subscribe": "subscribe($1, 'community', 'general', 100)",
    "set_subscription": "set_subscription($1, 0, 'paused')",
    "acknowledge": "acknowledge($1, 1, NULL, 1, 1)",
}
ACKNOWLEDGE = "SELECT acked, acked_at FROM acknowledge($1, NULL, '{1}', 1, 1)"
AUDIT = "SELECT who, action, subject, reason, until FROM audit ORDER BY id"
WAITING = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
WAITERS = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
PATIENCE = 60.0


def pages(web: Web, agent: Agent, thread: dict[str, Any]) -> Sequence[str]:
    """Return the pages for people that can change."""
    paths = ("/", "/about", "/agents", f"/a/{agent.name}", f"/t/{thread['id']}", "/requests", "/nothing")
    return [web.get(path, headers={"Accept": "text/html"}).content.decode() for path in paths]


async def until(condition: Callable[[], bool]) -> None:
    """Wait, in a thread, until a condition holds."""

    def wait() -> None:
        ends = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < ends
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


async def test_an_acknowledgement_in_flight_is_committed_before_it(
    board: asyncpg.Connection, board_url: str, cast: Cast, command: Command
) -> None:
    await board.fetchval("SELECT outcome FROM subscribe($1, 'community', 'meta', 100)", cast.bob)
    assert await play.published(board, play.Post(cast.alice, community="meta"))
    await deliver_all(board)
    other = await writing_connection(board_url)
    try:
        async with asyncio.timeout(60), other.transaction():
            acked, acked_at = await other.fetchrow(ACKNOWLEDGE, cast.bob)
            frozen = asyncio.create_task(command("freeze", "--reason", REASON))
            while not await board.fetchval(WAITING):
                assert not frozen.done()
                await asyncio.sleep(0.02)
        assert (acked, (await frozen)[0]) == (1, 0)
        assert acked_at < await board.fetchval("SELECT since FROM freezes")
    finally:
        await other.close()
    assert await board.fetchval(f"SELECT outcome FROM {WRITES['acknowledge']}", cast.bob) == "frozen"


async def test_a_write_that_waits_while_it_is_committed_is_refused(
    board: asyncpg.Connection, board_url: str, cast: Cast
) -> None:
    followed = await board.fetchval("SELECT id FROM subscribe($1, 'community', 'meta', 100)", cast.bob)
    calls = WRITES | {"set_subscription": f"set_subscription($1, {followed}, 'paused')"}
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


def test_every_function_that_writes_for_agents_is_tried() -> None:
    asking = {name for name, text in functions().items() if "is_frozen()" in text}
    assert set(WRITES) == asking - {"is_frozen", "thaw"}

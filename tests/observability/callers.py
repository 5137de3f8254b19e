"""Calls that use the whole board, and disturbances, so that every process has something to count."""

import asyncio
import http.client
from contextlib import suppress

import asyncpg

from tests.posts.locks import until
from tests.processes import FanoutProcess
from tests.web import Web

END_BACKENDS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'agent-board%'
"""
DISTURBED = (AssertionError, OSError, http.client.HTTPException)
FAILURES = ("agent_board_inbox_errors_total{", 'agent_board_search_steps_total{outcome="failed"}')


def call_all(url: str) -> None:
    """Call a selection of all operations. A disturbance may fail some of them."""
    with suppress(*DISTURBED), Web(url) as web:
        round_of_calls(web)


def round_of_calls(web: Web) -> None:
    alice, bob = web.register("alice"), web.register("bob")
    bob.subscribe("community", "sql")
    thread = alice.thread(community="sql")
    bob.reply(thread)
    bob.vote(thread, 1)
    for path in ("/api/threads", "/api/search?q=question", f"/api/threads/{thread['id']}", "/skill.md", "/nowhere"):
        for _ in range(2):
            web.get(path)
    bob.get("/api/home")
    bob.get("/api/inbox")
    web.get("/api/agents/me", token="no token of ours")


def disturb(database_url: str, url: str, fanout: FanoutProcess) -> None:
    """Close every connection of the board to its database, then block the fan-out until inboxes and index failed."""

    async def has_failed() -> bool:
        await asyncio.to_thread(call_all, url)
        metrics = (await asyncio.to_thread(fanout.operator, "/metrics"))[1]
        return all(failure in metrics for failure in FAILURES)

    async def act() -> None:
        connection = await asyncpg.connect(database_url)
        await connection.execute(END_BACKENDS)
        async with connection.transaction():
            await connection.execute("LOCK TABLE inbox, thread_search IN ACCESS EXCLUSIVE MODE")
            await until(has_failed)
        await connection.close()

    asyncio.run(act())

"""Clients that use the whole board continuously, and disturbances."""

import asyncio
import contextlib
import http.client
import itertools
import threading
from typing import Self

import asyncpg

from tests.posts.locks import until
from tests.processes import FanoutProcess
from tests.web import Web

END_BACKENDS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'agent-board%'
"""
FAILURES = ("agent_board_inbox_errors_total{", 'agent_board_search_steps_total{outcome="failed"}')
PAUSE_SECONDS = 0.1
DISTURBED = (AssertionError, OSError, http.client.HTTPException)


class Callers:
    """One thread that repeats a round of calls: agents register, read, publish, vote, follow and make mistakes."""

    def __init__(self, *urls: str) -> None:
        self.urls = urls
        self.stopping = threading.Event()
        self.rounds = 0
        self.thread = threading.Thread(target=self.call, name="callers")

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.thread.join()

    def call(self) -> None:
        for url in itertools.cycle(self.urls):
            # a disturbance may fail calls; an operation that is never called shows as a panel without a value
            with contextlib.suppress(*DISTURBED), Web(url) as web:
                round_of_calls(web)
                self.rounds += 1
            if self.stopping.wait(PAUSE_SECONDS):
                return


def round_of_calls(web: Web) -> None:
    """Call a selection of all operations."""
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


def disturb(database_url: str, fanout: FanoutProcess) -> None:
    """Close every connection of the board to its database, then block the fan-out until inboxes and index failed."""

    async def has_failed() -> bool:
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

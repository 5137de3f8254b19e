"""The change feed cut off, PostgreSQL restarted, the process frozen: no stale answer, and recovery without help."""

import asyncio
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from services.local.postgresql import PostgreSQL
from tests.databases import CopyServer
from tests.processes import ApiProcess, started_together
from tests.web import Agent, Web

SERVED_SECONDS = 120
END_FEED = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agent-board tail'"


@pytest.fixture(scope="module")
def server(own_server: CopyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    with own_server(tmp_path_factory.mktemp("own")) as own:
        yield own


@pytest.fixture
def apis(server: PostgreSQL, tmp_path: Path) -> Iterator[list[ApiProcess]]:
    started = [ApiProcess(server.url(), tmp_path / f"api{number}", LIMIT_POSTS="1000/60") for number in range(2)]
    with started_together(started) as running:
        yield running


def execute(server: PostgreSQL, statement: str) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(server.url())
        await connection.execute(statement)
        await connection.close()

    asyncio.run(work())


def forgotten(api: ApiProcess, reason: str) -> float:
    found = re.search(
        rf'agent_board_memory_forgotten_total{{reason="{reason}"}} ([0-9.]+)', api.operator("/metrics")[1]
    )
    return float(found[1]) if found else 0.0


def until_served(web: Web, path: str) -> object:
    """Return the first answer that is not a 503, which must be a 200."""
    end = time.monotonic() + SERVED_SECONDS
    while (answer := web.get(path)).status == 503:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert answer.status == 200
    return answer.json


def count(web: Web, thread: int) -> int:
    return int(web.get(f"/api/threads/{thread}").json["thread"]["reply_count"])


def talk(agent: Agent) -> dict[str, int]:
    return {"id": int(agent.thread()["id"])}


def test_the_backend_of_the_change_feed_is_terminated_between_reads(apis: list[ApiProcess], server: PostgreSQL) -> None:
    with Web(apis[0].url) as writing, Web(apis[1].url) as reading:
        alice = writing.register("alice")
        thread = talk(alice)
        lost = forgotten(apis[1], "connection")
        for number in range(20):
            assert count(reading, thread["id"]) == number
            alice.reply(thread)
            execute(server, END_FEED)
            assert count(reading, thread["id"]) == number + 1
        assert forgotten(apis[1], "connection") - lost >= 20


def test_changes_lost_with_a_crash_are_not_missed(apis: list[ApiProcess], server: PostgreSQL) -> None:
    """The table of changes is unlogged: a crash empties it while answers about those changes are in memory."""
    with Web(apis[0].url) as writing, Web(apis[1].url) as reading:
        alice = writing.register("alice")
        thread = talk(alice)
        assert count(reading, thread["id"]) == 0
        alice.reply(thread)
        execute(server, "TRUNCATE changes")
        assert count(reading, thread["id"]) == 1
        assert forgotten(apis[1], "gap") > 0


def test_postgresql_is_restarted(apis: list[ApiProcess], server: PostgreSQL) -> None:
    with Web(apis[0].url) as writing, Web(apis[1].url) as reading:
        alice = writing.register("alice")
        thread = talk(alice)
        path = f"/api/threads/{thread['id']}"
        assert count(reading, thread["id"]) == 0
        alice.reply(thread)
        server.stop()
        # the process cannot know whether its memory is stale
        assert reading.get(path).status == reading.get("/api/stats").status == 503
        assert reading.get("/skill.md").status == 503
        assert reading.get("/heartbeat.md").status == 200
        server.start()
        until_served(reading, path)
        assert count(reading, thread["id"]) == 1
        until_served(writing, "/api/stats")
        alice.reply(thread)
        assert count(reading, thread["id"]) == 2


@pytest.mark.parametrize("frozen_seconds", [0, pytest.param(10, marks=pytest.mark.slow)])
def test_a_process_that_was_frozen_serves_no_stale_answer(apis: list[ApiProcess], frozen_seconds: int) -> None:
    with Web(apis[0].url) as writing, Web(apis[1].url) as reading:
        alice = writing.register("alice")
        thread = talk(alice)
        assert count(reading, thread["id"]) == 0
        apis[1].signal(signal.SIGSTOP)
        for _ in range(3):
            alice.reply(thread)
        time.sleep(frozen_seconds)
        alice.reply(thread)
        apis[1].signal(signal.SIGCONT)
        assert count(reading, thread["id"]) == 4

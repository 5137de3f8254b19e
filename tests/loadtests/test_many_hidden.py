"""The posts of many accounts are hidden while agents use the board, in a run that is interrupted and repeated.

HIDDEN_ACCOUNTS is the number of accounts with ten posts each. 5000 need six minutes on an idle machine.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from services.board.access.tokens import hash_token, new_token
from services.board.database.connections import writing_connection
from services.local.postgresql import PostgreSQL
from tests.conftest import Reading
from tests.databases import create_database
from tests.load import ENLIST
from tests.loadtests.test_runs import LATENCIES, broken, run
from tests.operator import play
from tests.processes import CHECKOUT, ApiProcess, FanoutProcess, started_together
from tests.programs import spawn

ACCOUNTS = int(os.environ.get("HIDDEN_ACCOUNTS", "50"))
POSTS_EACH = 10
BATCH = 200
LOAD_SECONDS = 20 + ACCOUNTS // 20
WAIT_SECONDS = 1200
DONE = "SELECT count(*) FROM audit WHERE action = $1"
STATES = """
SELECT (SELECT count(*) FROM posts WHERE hidden <> 0 AND author LIKE 'smith%') AS hidden,
    (SELECT count(*) FROM posts WHERE hidden <> 0 AND author NOT LIKE 'smith%') AS others,
    (SELECT count(*) FROM agents WHERE suspended_at IS NOT NULL) AS suspended,
    (SELECT count(*) FROM audit WHERE action = 'hide') AS actions
"""
COMMAND = ("suspend", *(f"smith_{number}" for number in range(ACCOUNTS)), "--hide", "--reason", "Spam.")


@pytest.fixture
def database(postgresql: PostgreSQL) -> str:
    return create_database(postgresql, "many_hidden")


@pytest.fixture
def api(database: str, reading: Reading, tmp_path: Path) -> Iterator[ApiProcess]:
    settings = {"READ_DATABASE_URL": reading(database), "LIMIT_POSTS": "10000/60"}
    processes = ApiProcess(database, tmp_path / "api", **settings), FanoutProcess(database, tmp_path / "fanout")
    with started_together(list(processes)):
        yield processes[0]


async def fill(connection: asyncpg.Connection, accounts: int) -> None:
    """Register accounts and let each publish a thread and replies to it."""
    names = [f"smith_{number}" for number in range(accounts)]
    hashes = [hash_token(new_token()) for _ in names]
    for first in range(0, accounts, BATCH):
        await connection.fetch(ENLIST, names[first : first + BATCH], hashes[first : first + BATCH])
        part = hashes[first : first + BATCH]
        threads = [post for _, post in await play.publish(connection, *map(play.Post, part))]
        for _ in range(POSTS_EACH - 1):
            posts = [play.Post(token, parent=thread) for token, thread in zip(part, threads, strict=True)]
            await play.publish(connection, *posts)


def start(database: str) -> "subprocess.Popen[str]":
    """Start the command. A process in the background ignores the signal of Ctrl-C unless `env` sets it again."""
    command = ["env", "--default-signal=INT", sys.executable, "-m", "services.operator", *COMMAND]
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": database, "AGENT_BOARD_OPERATOR": "olga"}
    return spawn(
        command, env=environment, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip


async def until_done(connection: asyncpg.Connection, action: str, count: int) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while await connection.fetchval(DONE, action) < count:  # noqa: ASYNC110 - it grows in another process
            await asyncio.sleep(0.1)


@pytest.mark.slow
async def test_many_posts_are_hidden_under_load(database: str, api: ApiProcess, tmp_path: Path) -> None:
    connection = await writing_connection(database, statement_timeout="300s")
    await fill(connection, ACCOUNTS)
    load = asyncio.create_task(
        asyncio.to_thread(run, tmp_path / "results", f"--board={api.url}", f"--seconds={LOAD_SECONDS}")
    )
    interrupted = start(database)
    await until_done(connection, "hide", ACCOUNTS)
    interrupted.send_signal(signal.SIGINT)
    _, errors = await asyncio.to_thread(interrupted.communicate)
    assert interrupted.returncode != 0
    assert "Interrupted after " in errors, errors
    output, errors = await asyncio.to_thread(start(database).communicate)
    assert "changed" in output, errors
    _, result, output = await load
    assert broken(result) <= LATENCIES, output
    print({gate["name"]: (gate["figure"], gate["bound"]) for gate in result["gates"]})
    # each post once, although the command ran twice, and nothing of anybody else
    posts = ACCOUNTS * POSTS_EACH
    assert tuple(await connection.fetchrow(STATES)) == (posts, 0, ACCOUNTS, posts)
    assert await play.wrong_tallies(connection) == []
    await connection.close()

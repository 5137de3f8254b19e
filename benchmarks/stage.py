"""The environment of every benchmark: an embedded PostgreSQL with fsync, a migrated database, agents, processes."""

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import uvloop

from services.board.access.tokens import hash_token, new_token
from services.board.database.migrations import migrate
from services.local.child import stop
from services.local.ports import free_port
from services.local.postgresql import PostgreSQL
from services.local.programs import PROGRAMS, Replica

FOLDER = Path(__file__).parents[1] / ".local" / "bench"
READY_SECONDS, STOP_SECONDS = 60, 30
SETTINGS = {"max_connections": "300", "shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "1h"}
T = TypeVar("T")
BODY = "An agent asks the others, at some length, how they would go about it. " * 6


@contextmanager
def stage() -> Iterator[PostgreSQL]:
    """Run a temporary server."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    with PostgreSQL(FOLDER, settings=SETTINGS, throwaway=True) as server:
        yield server
    shutil.rmtree(FOLDER, ignore_errors=True)


async def fresh_database(server: PostgreSQL, name: str) -> str:
    """Create an empty, migrated database, dropping any earlier one of that name; return its address."""
    url = await empty_database(server, name)
    await migrate(url, lambda _: None)
    return url


async def empty_database(server: PostgreSQL, name: str) -> str:
    """Create an empty database, dropping any earlier one of that name; return its address."""
    connection = await asyncpg.connect(server.url())
    await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
    return server.url(name)


async def make_agents(url: str, count: int) -> list[str]:
    """Insert agents; return their tokens, which count as used."""
    tokens = [new_token() for _ in range(count)]
    connection = await asyncpg.connect(url)
    await connection.execute(
        "INSERT INTO agents (id, name, created, activity, token_hash, token_created, token_used) "
        "SELECT h.last_agent_id + n, 'agent-' || h.last_agent_id + n, now(), now(), hash, now(), true "
        "FROM log_head h, unnest($1::bytea[]) WITH ORDINALITY AS t(hash, n)",
        [hash_token(token) for token in tokens],
    )
    await connection.execute(
        "UPDATE log_head SET last_agent_id = last_agent_id + $1, community_agents = community_agents + $1", count
    )
    await connection.execute("VACUUM ANALYZE agents")
    await connection.close()
    return tokens


@contextmanager
def whole_board(url: str, redis_url: str, **settings: str) -> Iterator[str]:
    """Run a fan-out, a limiter and an API process with extra settings; yield the address of the API process.

    They see only where programs are: other settings of the environment would change the measurement.
    """
    env = {"PATH": os.environ["PATH"], "DATABASE_URL": url, "REDIS_URL": redis_url, "LOG_LEVEL": "info", **settings}
    with ExitStack() as processes:
        for program in PROGRAMS:
            port = free_port()
            env |= {"PORT": str(port), "LIMITER_PORT": str(port)}
            replica = Replica(program, 1, log=FOLDER / f"{program}.log", env=env, address=("127.0.0.1", free_port()))
            processes.callback(stop, [replica.child], STOP_SECONDS)
            replica.child.wait_until(replica.is_ready, READY_SECONDS, time.sleep)
            env |= {"LIMITER_URL": f"http://127.0.0.1:{port}"} if program == "limiter" else {}
        yield f"http://127.0.0.1:{port}"


def run(work: Callable[..., Coroutine[Any, Any, T]], *args: Any) -> T:
    """Run on uvloop, as the processes do."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work(*args))

"""The environment of every benchmark: an embedded PostgreSQL with fsync, a migrated database, agents, processes."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import uvloop

from services.board.access.tokens import hash_token, new_token
from services.board.database.migrations import migrate
from services.local.ports import free_port
from services.local.postgresql import PostgreSQL

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".local" / "bench"
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
    """Run a fan-out, a limiter and an API process with extra settings; yield the address of the API process."""
    own = {"DATABASE_URL": url, "REDIS_URL": redis_url, "LOG_LEVEL": "info", "PYTHONPATH": str(ROOT), **settings}
    with ExitStack() as processes:
        for service in ("fanout", "limiter", "api"):
            port, operator_port = free_port(), free_port()
            address = f"http://127.0.0.1:{port}"
            ports = {"PORT": str(port), "LIMITER_PORT": str(port), "OPERATOR_PORT": str(operator_port)}
            command, ready = [sys.executable, "-m", f"services.{service}"], f"http://127.0.0.1:{operator_port}/readyz"
            processes.enter_context(started(command, service, ready, **own, **ports))
            own |= {"LIMITER_URL": address} if service == "limiter" else {}
        yield address


@contextmanager
def started(command: list[str], name: str, address: str, **settings: str) -> Iterator[None]:
    """Run a process whose log has this name, and yield it once the address answers.

    It sees only where programs are: other settings of the environment would change the measurement.
    """
    log = FOLDER / f"{name}.log"
    own = {"PATH": os.environ["PATH"], **settings}
    with log.open("ab") as output:
        process = subprocess.Popen(command, env=own, cwd=ROOT, stdout=output, stderr=output)
    try:
        wait_for(address, process, log)
        yield
    finally:
        process.terminate()
        process.wait()


def wait_for(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Return once the address answers."""
    while process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"{address}: the process exited; see {log}")


def run(work: Callable[..., Coroutine[Any, Any, T]], *args: Any) -> T:
    """Run on uvloop, as the processes do."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work(*args))

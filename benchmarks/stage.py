"""The environment of every benchmark: an embedded PostgreSQL with fsync, a migrated database, agents, processes."""

import asyncio
import itertools
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import psutil
import uvloop

from services.board.access.tokens import hash_token, new_token
from services.board.database.migrations import migrate
from services.contract.limits import POSTS
from services.local.ports import free_port
from services.local.postgresql import PostgreSQL

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".local" / "bench"
SETTINGS = {"max_connections": "300", "shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "1h"}
TURNS = 4  # per round, for each side of a comparison, because the speed of a shared machine varies
T = TypeVar("T")
BODY = "An agent asks the others, at some length, how they would go about it. " * 6


@contextmanager
def stage(flush: float = 0) -> Iterator[PostgreSQL]:
    """Run a temporary server whose commits take `flush` milliseconds longer (0 to 100)."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    # the session that flushes waits this long first, whether or not others commit too
    slower = {"commit_delay": str(round(flush * 1000)), "commit_siblings": "0"}
    with PostgreSQL(FOLDER, settings={**SETTINGS, **slower}, throwaway=True) as server:
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


class Tokens:
    """Agents that may post. Each is limited to ten posts a minute, so it takes a large number."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.turn = itertools.cycle(tokens)

    def __iter__(self) -> Iterator[str]:
        return self.turn


async def make_agents(url: str, count: int) -> Tokens:
    """Insert agents with known tokens that count as used."""
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
    return Tokens(tokens)


async def forget_limits(url: str) -> None:
    """Let every agent post again, as if a minute had passed."""
    connection = await asyncpg.connect(url)
    await connection.execute("UPDATE agents SET post_times = '{}' WHERE post_times <> '{}'")
    await connection.execute("VACUUM agents")
    await connection.close()


def agents_needed(posts_per_second: float, seconds: float) -> int:
    """Return how many agents are needed to stay below the limit."""
    return int(posts_per_second * seconds / POSTS.quota) + 200


@contextmanager
def api(url: str, module: str = "services.api", **settings: str) -> Iterator[tuple[str, int]]:
    """Run an API process (or the rival in `module`) with extra settings; yield its address and pid."""
    port = free_port()
    own = {"DATABASE_URL": url, "PORT": str(port), **settings}
    with started_module(module, f"http://127.0.0.1:{port}/api/health", **own) as process:
        yield f"http://127.0.0.1:{port}", process.pid


@contextmanager
def core_apart() -> Iterator[int | None]:
    """Reserve a core for the measured process and yield it; this process and PostgreSQL use the others.

    Otherwise the system moves processes around, and may put a client and its server on one core while another is idle.
    Yields None if there is only one core, or if cores cannot be chosen.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) < 2:
        yield None
        return
    keep_to(cores[1:], os.getpid())
    yield cores[0]
    keep_to(cores, os.getpid())


def keep_to(cores: list[int], pid: int) -> None:
    """Restrict a process, its descendants and all their threads to some cores."""
    process = psutil.Process(pid)
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            for thread in each.threads():
                os.sched_setaffinity(thread.id, cores)


@contextmanager
def fanout(url: str, **settings: str) -> Iterator[None]:
    """Run a fanout process with extra settings."""
    port = str(free_port())
    own = {"DATABASE_URL": url, "OPERATOR_PORT": port, **settings}
    with started_module("services.fanout", f"http://127.0.0.1:{port}/readyz", **own):
        yield


@contextmanager
def limiter(redis_url: str, core: int | None = None) -> Iterator[str]:
    """Run a limiter process, on one core if it is given, and yield its address."""
    port, operator_port = str(free_port()), str(free_port())
    ready = f"http://127.0.0.1:{operator_port}/readyz"
    own = {"REDIS_URL": redis_url, "LIMITER_PORT": port, "OPERATOR_PORT": operator_port}
    with started_module("services.limiter", ready, **own) as process:
        if core is not None:
            keep_to([core], process.pid)
        yield f"http://127.0.0.1:{port}"


def started_module(module: str, address: str, **settings: str) -> AbstractContextManager["subprocess.Popen[bytes]"]:
    """Run a module of Python, as `started` does."""
    own = {"OPERATOR_PORT": "0", "LOG_LEVEL": "info", "PYTHONPATH": str(ROOT)}
    return started([sys.executable, "-m", module], module, address, **{**own, **settings})


@contextmanager
def started(command: list[str], name: str, address: str, **settings: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a process whose log has this name, and yield it once the address answers.

    It sees only where programs are: other settings of the environment would change the measurement.
    """
    log = FOLDER / f"{name}.log"
    own = {"PATH": os.environ["PATH"], **settings}
    with log.open("ab") as output:
        process = subprocess.Popen(command, env=own, cwd=ROOT, stdout=output, stderr=output)
    try:
        wait_for(address, process, log)
        yield process
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

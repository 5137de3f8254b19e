"""Writes over HTTP: their rates against a plain board in Go, in turns, and the cost of each in both boards."""

import asyncio
import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

import asyncpg
import psutil

from benchmarks.client import load, post, rate_of
from benchmarks.creation import REPLY, THREAD, VOTE
from benchmarks.plain_go import build, plain_go, prepare
from benchmarks.report import Report
from benchmarks.stage import (
    TURNS,
    Tokens,
    agents_needed,
    api,
    core_apart,
    empty_database,
    forget_limits,
    fresh_database,
    keep_to,
    make_agents,
    run,
)
from deploy.local.postgresql import PostgreSQL

NO_GO = "Go is not installed, so writes are not compared with a plain board in Go."
CLIENTS = (1, 32, 128)
FASTEST = 8_000  # more posts a second than any such machine reaches over HTTP
THREADS = 101  # that get the replies and votes; a prime, so that each agent meets each of them
TARGETS = {
    "thread": {1: 0.5, 32: 1.0, 128: 1.2},
    "reply": dict.fromkeys(CLIENTS, 1.0),
    "vote": dict.fromkeys(CLIENTS, 1.5),
}
HEADER = ("WAL bytes", "buffers", "PostgreSQL us", "product us")
INSERT_THREADS = """
WITH made AS (
    INSERT INTO posts (id, author_id, author, community, title, body, created, activity, hot, digest, request_id)
    SELECT n, 1, 'agent-1', 'general', t, t, now(), now(), extract(epoch FROM now())::float8 / 45000, '',
        gen_random_uuid()
    FROM unnest($1::text[]) WITH ORDINALITY AS t(t, n) RETURNING id
)
UPDATE log_head SET last_id = g.newest, last_created = now(), threads = g.newest
FROM (SELECT max(id) AS newest FROM made) g
"""
WAIT = """
DO $$ BEGIN
    WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                  AND backend_type = 'client backend') LOOP
        PERFORM pg_sleep(0.05);
        PERFORM pg_stat_clear_snapshot();
    END LOOP;
END $$
"""
USE = """
SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn, blks_hit + blks_read
FROM pg_stat_database WHERE datname = current_database()
"""

Requests = dict[str, Iterator[bytes]]


class Use(NamedTuple):
    """What one write costs: bytes of WAL, buffers, and seconds of CPU of PostgreSQL and of the board's process."""

    wal: float
    buffers: float
    postgresql: float
    product: float


@dataclass(frozen=True)
class Side:
    """A board to measure: its database, and how it is started."""

    url: str
    start: Callable[[str], AbstractContextManager[tuple[str, int]]]


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the ratios of writes to the report, and print what each write costs."""
    program = build()
    if program is None:
        print(f"  {NO_GO}", flush=True)
    costs: dict[str, list[Use]] = {}
    with core_apart() as core:
        for number in range(rounds):
            print(f"  writing, round {number + 1} of {rounds}", flush=True)
            sides, tokens = boards(server, program, seconds)
            requests = kinds(tokens)
            if len(sides) == 2:
                measure_rates(report, sides, requests, core, seconds)
            for kind, (name, side) in itertools.product(TARGETS, sides.items()):
                run(forget_limits, sides["ours"].url)
                cost = cost_of(server, side, requests[kind], core, seconds)
                costs.setdefault(f"{kind}, {name}", []).append(cost)
    print_costs(costs)


def boards(server: PostgreSQL, program: Path | None, seconds: float) -> tuple[dict[str, Side], Tokens]:
    """Prepare both boards, with the same agents and threads; only ours without Go."""
    titles = [f"Thread {number}" for number in range(THREADS)]
    url = run(fresh_database, server, "writing")
    tokens = run(make_agents, url, agents_needed(FASTEST, seconds))
    run(insert_threads, url, titles)
    sides = {"ours": Side(url, api)}
    if program is not None:
        rival = run(empty_database, server, "rival")
        run(prepare, rival, tokens, titles)
        sides["plain Go"] = Side(rival, lambda url: plain_go(program, url))
    return sides, tokens


async def insert_threads(url: str, titles: list[str]) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(INSERT_THREADS, titles)
    await connection.close()


def measure_rates(report: Report, sides: dict[str, Side], requests: Requests, core: int | None, seconds: float) -> None:
    """Measure both boards in short turns on the same core; PostgreSQL and this process use the others."""
    with ExitStack() as started:
        addresses = {name: started.enter_context(alone(side, core))[0] for name, side in sides.items()}
        for clients, kind in itertools.product(CLIENTS, requests):
            rates = dict.fromkeys(sides, 0.0)
            for name in [*sides] * TURNS:
                run(forget_limits, sides["ours"].url)
                rates[name] += run(rate_of, addresses[name], requests[kind], clients, seconds / TURNS)
            target = TARGETS[kind.removesuffix(" with key")][clients]
            report.add(f"{kind}, {clients} clients / plain Go", rates["ours"] / rates["plain Go"], target)


@contextmanager
def alone(side: Side, core: int | None) -> Iterator[tuple[str, int]]:
    """Run a board on that core; yield its address and pid."""
    with side.start(side.url) as (address, pid):
        if core is not None:
            keep_to([core], pid)
        yield address, pid


def kinds(tokens: Tokens) -> Requests:
    """Return endless requests of each kind. The rival ignores the keys."""
    turn, threads = iter(tokens), itertools.cycle(range(1, THREADS + 1))
    return {
        "thread": (post("/api/threads", next(turn), THREAD) for _ in itertools.count()),
        "thread with key": (post("/api/threads", next(turn), THREAD, str(uuid.uuid4())) for _ in itertools.count()),
        "reply": (post(replies_of(next(threads)), next(turn), REPLY) for _ in itertools.count()),
        "reply with key": (
            post(replies_of(next(threads)), next(turn), REPLY, str(uuid.uuid4())) for _ in itertools.count()
        ),
        "vote": (post(f"/api/posts/{next(threads)}/vote", next(turn), VOTE) for _ in itertools.count()),
    }


def replies_of(thread: int) -> str:
    return f"/api/threads/{thread}/replies"


def cost_of(server: PostgreSQL, side: Side, requests: Iterator[bytes], core: int | None, seconds: float) -> Use:
    """Return what each of these writes costs with 32 connections.

    Backends report their buffers when they end, so the board is stopped before these are read.
    """
    before = run(database_use, side.url)
    with alone(side, core) as (address, pid):
        began = cpu_seconds(server.pid, children=True), cpu_seconds(pid)
        statuses = run(load, address, requests, 32, seconds)[1]
        ended = cpu_seconds(server.pid, children=True), cpu_seconds(pid)
    after = run(database_use, side.url)
    if set(statuses) - {200, 201}:
        raise RuntimeError(f"unexpected answers {statuses}")
    totals = [*(b - a for a, b in zip(before, after, strict=True)), *(b - a for a, b in zip(began, ended, strict=True))]
    return Use(*(total / statuses.total() for total in totals))


async def database_use(url: str) -> tuple[float, float]:
    """Return the bytes of WAL of the server, and the buffers of the database, once no other backend uses it."""
    connection = await asyncpg.connect(url)
    async with asyncio.timeout(10):
        await connection.execute(WAIT)
    row = await connection.fetchrow(USE)
    await connection.close()
    return float(row[0]), float(row[1])


def cpu_seconds(pid: int, children: bool = False) -> float:
    """Return the CPU time of a process, or of its children."""
    process = psutil.Process(pid)
    times = [each.cpu_times() for each in (process.children() if children else [process])]
    return sum(each.user + each.system for each in times)


def print_costs(costs: dict[str, list[Use]]) -> None:
    """Print the medians over all rounds: bytes and buffers, and microseconds of CPU."""
    width = max(map(len, costs))
    print(f"\n  {'a write, at 32 connections':{width}}" + "".join(f"{name:>15}" for name in HEADER))
    for name, rounds in costs.items():
        wal, buffers, *cpu = (median(each) for each in zip(*rounds, strict=True))
        cells = (wal, buffers, *(1e6 * each for each in cpu))
        print(f"  {name:{width}}" + "".join(f"{cell:15,.0f}" for cell in cells))

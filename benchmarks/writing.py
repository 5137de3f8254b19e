"""Writes over HTTP: their rates against a plain board in Go, in turns, and the cost of each in both boards."""

import asyncio
import itertools
import time
import urllib.request
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import asyncpg
import psutil
import redis.asyncio

from benchmarks.client import load, post, rate_of
from benchmarks.plain_go import build, plain_go, prepare
from benchmarks.report import Report
from benchmarks.stage import (
    BODY,
    FOLDER,
    TURNS,
    Tokens,
    agents_needed,
    api,
    core_apart,
    empty_database,
    fanout,
    forget_limits,
    fresh_database,
    keep_to,
    limiter,
    make_agents,
    run,
)
from benchmarks.targets import THREADS_TO_PLAIN_GO, WRITES_TO_PLAIN_GO
from benchmarks.texts import VOTE, bodies
from services.board.search.search import find_position, merge_fresh
from services.fanout.search_index import MERGE_BYTES
from services.local.ports import free_port
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

NO_GO = "Go is not installed, so writes are not compared with a plain board in Go."
FASTEST = 8_000  # more posts a second than any such machine reaches over HTTP
THREADS = 101  # that get the replies and votes; a prime, so that each agent meets each of them
KINDS = ("thread", "reply", "vote")
HEADER = ("WAL bytes", "buffers", "PostgreSQL us", "product us")
INSERT_THREADS = """
WITH made AS (
    INSERT INTO posts (id, author_id, author, community, title, body, created, activity, hot, digest, request_id)
    SELECT n, 1, 'agent-1', 'general', t, $2, now(), now(), extract(epoch FROM now())::float8 / 45000, '',
        gen_random_uuid()
    FROM unnest($1::text[]) WITH ORDINALITY AS t(t, n) RETURNING id
)
UPDATE log_head SET last_id = g.newest, last_created = now(), threads = g.newest
FROM (SELECT max(id) AS newest FROM made) g
"""
INDEX_SECONDS = 120
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
    """The cost of one write: bytes of WAL, buffers, and seconds of CPU of PostgreSQL and of the board's processes."""

    wal: float
    buffers: float
    postgresql: float
    product: float


@dataclass(frozen=True)
class Side:
    """A board to measure: its database, and how it is started, which yields its address.

    `settle` waits until all that its writes cause has been done.
    """

    url: str
    start: Callable[[], AbstractContextManager[str]]
    settle: Callable[[str], Coroutine[None, None, None]]


@dataclass(frozen=True)
class Contest:
    """Both boards, or only ours, whose metrics are at an address.

    `forget` lets every agent post and vote again, as if a minute had passed.
    """

    sides: dict[str, Side]
    metrics: str
    forget: Callable[[], None]


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the ratios of writes to the report, and print what each write costs."""
    program = build()
    if program is None:
        print(f"  {NO_GO}", flush=True)
    costs: dict[str, list[Use]] = {}
    with Valkey(FOLDER / "valkey") as valkey, core_apart() as core:
        for number in range(rounds):
            print(f"  writing, round {number + 1} of {rounds}", flush=True)
            contest, tokens = prepared(server, valkey.url(), program, seconds)
            requests = kinds(tokens)
            for kind, (name, side) in itertools.product(KINDS, contest.sides.items()):
                contest.forget()
                cost = cost_of(server, side, requests[kind], core, seconds)
                costs.setdefault(f"{kind}, {name}", []).append(cost)
            measure_own_time(report, contest, requests["thread"], len(tokens.tokens), core, seconds)
            if program is not None:
                measure_rates(report, contest, requests, core, seconds)
    print_costs(costs)


def prepared(server: PostgreSQL, redis_url: str, program: Path | None, seconds: float) -> tuple[Contest, Tokens]:
    """Prepare both boards, with the same agents and threads; only ours without Go."""
    titles = [f"Thread {number}" for number in range(THREADS)]
    url = run(fresh_database, server, "writing")
    tokens = run(make_agents, url, agents_needed(FASTEST, seconds))
    run(insert_threads, url, titles)
    port = str(free_port())
    sides = {"ours": Side(url, partial(whole_board, url, redis_url, OPERATOR_PORT=port), until_indexed)}
    if program is not None:
        rival = run(empty_database, server, "rival")
        run(prepare, rival, tokens, titles)
        sides["plain Go"] = Side(rival, partial(plain_go, program, rival), nothing_left)
    return Contest(sides, f"http://127.0.0.1:{port}/metrics", partial(forget_calls, url, redis_url)), tokens


def forget_calls(url: str, redis_url: str) -> None:
    run(forget_limits, url)
    run(forget_windows, redis_url)


async def forget_windows(redis_url: str) -> None:
    """Empty all windows in Redis too."""
    client = redis.asyncio.Redis.from_url(redis_url)
    await client.flushall()
    await client.aclose()


def warm_up(address: str, requests: Iterator[bytes], calls: int) -> None:
    """Make this many calls, so that every agent is cached: a token's first post needs a lookup."""
    while calls > 0:
        _, statuses = run(load, address, requests, 32, 0.5)
        calls -= sum(statuses.values())


async def insert_threads(url: str, titles: list[str]) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(INSERT_THREADS, titles, BODY)
    await connection.close()


def measure_own_time(
    report: Report, contest: Contest, threads: Iterator[bytes], agents: int, core: int | None, seconds: float
) -> None:
    """Measure the part of a thread's time that is not its statement, at one connection, once every agent has posted."""
    ours = contest.sides["ours"]
    with alone(ours, core) as (address, _):
        contest.forget()
        warm_up(address, threads, agents)
        run(ours.settle, ours.url)
        contest.forget()
        in_statements, posts = statements(contest.metrics)
        rate = run(rate_of, address, threads, 1, seconds)
        seconds_after, posts_after = statements(contest.metrics)
    own = 1 / rate - (seconds_after - in_statements) / (posts_after - posts)
    report.add("ms of a thread outside its statement, 1 client", 1e3 * own)


def statements(metrics: str) -> tuple[float, float]:
    """Return how many seconds the statements of posts have taken, and the number of posts."""
    with urllib.request.urlopen(metrics, timeout=5) as answer:
        lines = dict(line.rsplit(" ", 1) for line in answer.read().decode().splitlines())
    taken, posts = (f'agent_board_batch_{name}_sum{{kind="post"}}' for name in ("seconds", "writes"))
    return float(lines[taken]), float(lines[posts])


def measure_rates(report: Report, contest: Contest, requests: Requests, core: int | None, seconds: float) -> None:
    """Measure both boards in short turns on the same core; PostgreSQL and this process use the others.

    The rest of the work of a turn is done before the other board's turn. Threads are also counted with this time.
    """
    turn = seconds / TURNS
    with ExitStack() as started:
        addresses = {name: started.enter_context(alone(side, core))[0] for name, side in contest.sides.items()}
        for clients, kind in itertools.product(WRITES_TO_PLAIN_GO, requests):
            rates, indexed = dict.fromkeys(addresses, 0.0), dict.fromkeys(addresses, 0.0)
            for name in [*addresses] * TURNS:
                contest.forget()
                rate = run(rate_of, addresses[name], requests[kind], clients, turn)
                rates[name] += rate
                indexed[name] += rate * turn / (turn + seconds_of(contest.sides[name]))
            ratio = rates["ours"] / rates["plain Go"]
            targets = THREADS_TO_PLAIN_GO if kind.startswith("thread") else WRITES_TO_PLAIN_GO
            report.add(f"{kind}, {clients} clients / plain Go", ratio, targets[clients])
            if kind == "thread":
                report.add(
                    f"{kind} with its index, {clients} clients / plain Go", indexed["ours"] / indexed["plain Go"]
                )


def seconds_of(side: Side) -> float:
    """Return how long a board takes for all that its writes have left to do."""
    began = time.perf_counter()
    run(side.settle, side.url)
    return time.perf_counter() - began


@contextmanager
def alone(side: Side, core: int | None) -> Iterator[tuple[str, list[psutil.Process]]]:
    """Run a board on that core; yield its address and its processes."""
    before = set(psutil.Process().children())
    with side.start() as address:
        processes = [process for process in psutil.Process().children() if process not in before]
        if core is not None:
            for process in processes:
                keep_to([core], process.pid)
        yield address, processes


@contextmanager
def whole_board(url: str, redis_url: str, **settings: str) -> Iterator[str]:
    """Run an API process with extra settings, a limiter and a fan-out process; yield the address of the first."""
    with (
        fanout(url),
        limiter(redis_url) as limiter_url,
        api(url, LIMITER_URL=limiter_url, **settings) as (address, _),
    ):
        yield address


def kinds(tokens: Tokens) -> Requests:
    """Return endless requests of each kind. The rival ignores the keys."""
    turn, threads = iter(tokens), itertools.cycle(range(1, THREADS + 1))
    new, replies = bodies(title="How would you do it?"), bodies()
    return {
        "thread": (post("/api/threads", next(turn), body) for body in new),
        "thread with key": (post("/api/threads", next(turn), body, str(uuid.uuid4())) for body in new),
        "reply": (post(replies_of(next(threads)), next(turn), body) for body in replies),
        "reply with key": (post(replies_of(next(threads)), next(turn), body, str(uuid.uuid4())) for body in replies),
        "vote": (post(f"/api/posts/{next(threads)}/vote", next(turn), VOTE) for _ in itertools.count()),
    }


def replies_of(thread: int) -> str:
    return f"/api/threads/{thread}/replies"


def cost_of(server: PostgreSQL, side: Side, requests: Iterator[bytes], core: int | None, seconds: float) -> Use:
    """Return what each of these writes costs with 32 connections.

    Backends report their buffers when they end, so the board is stopped before these are read.
    """
    before = run(database_use, side.url)
    backends = psutil.Process(server.pid)
    with alone(side, core) as (address, processes):
        began = cpu_seconds([backends, *backends.children()]), cpu_seconds(processes)
        statuses = run(load, address, requests, 32, seconds)[1]
        run(side.settle, side.url)
        ended = cpu_seconds([backends, *backends.children()]), cpu_seconds(processes)
    after = run(database_use, side.url)
    if set(statuses) - {200, 201}:
        raise RuntimeError(f"unexpected answers {statuses}")
    totals = [*(b - a for a, b in zip(before, after, strict=True)), *(b - a for a, b in zip(began, ended, strict=True))]
    return Use(*(total / statuses.total() for total in totals))


async def until_indexed(url: str) -> None:
    """Wait until the fan-out has indexed all threads, and move the documents that it has not moved yet."""
    connection = await asyncpg.connect(url)
    async with asyncio.timeout(INDEX_SECONDS):
        while (await find_position(connection)).behind:  # noqa: ASYNC110 - the fan-out is another process
            await asyncio.sleep(0.01)
        while await connection.fetchval("SELECT EXISTS (SELECT FROM fresh_search)"):
            await merge_fresh(connection, MERGE_BYTES)
    await connection.close()


async def nothing_left(_: str) -> None:
    """The rival does everything before it answers."""


async def database_use(url: str) -> tuple[float, float]:
    """Return the bytes of WAL of the server, and the buffers of the database, once no other backend uses it."""
    connection = await asyncpg.connect(url)
    async with asyncio.timeout(10):
        await connection.execute(WAIT)
    row = await connection.fetchrow(USE)
    await connection.close()
    return float(row[0]), float(row[1])


def cpu_seconds(processes: list[psutil.Process]) -> float:
    """Return the CPU time of these processes, and of their children that have ended."""
    total = 0.0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:4])
    return total


def print_costs(costs: dict[str, list[Use]]) -> None:
    """Print the medians over all rounds: bytes and buffers, and microseconds of CPU."""
    width = max(map(len, costs))
    print(f"\n  {'a write, at 32 connections':{width}}" + "".join(f"{name:>15}" for name in HEADER))
    for name, rounds in costs.items():
        wal, buffers, *cpu = (median(each) for each in zip(*rounds, strict=True))
        cells = (wal, buffers, *(1e6 * each for each in cpu))
        print(f"  {name:{width}}" + "".join(f"{cell:15,.0f}" for cell in cells))

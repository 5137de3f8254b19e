"""The limiter: its cost, and the effect of a flood on other agents."""

import asyncio
import itertools
import time
from concurrent.futures import ProcessPoolExecutor
from urllib.parse import urlsplit

import asyncpg
import redis.asyncio

from benchmarks.client import Requests, load, post, rate_of
from benchmarks.report import Report
from benchmarks.serving import alone
from benchmarks.stage import (
    FOLDER,
    TURNS,
    agents_needed,
    api,
    core_apart,
    forget_limits,
    fresh_database,
    limiter,
    make_agents,
    run,
)
from benchmarks.targets import OTHERS_DURING_A_FLOOD, THREADS_WITH_LIMITER
from benchmarks.texts import THREAD, VOTE
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

CLIENTS = 32
FASTEST = 20_000  # more limited calls a second than any such machine reaches; sets how many agents to prepare
OTHERS, PAUSE_SECONDS, FLOODERS = 8, 0.02, 50


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of limiting to the report."""
    with Valkey(FOLDER / "valkey") as valkey, limiter(valkey.url()) as limiter_url:
        for number in range(rounds):
            print(f"  limiting, round {number + 1} of {rounds}", flush=True)
            url = run(fresh_database, server, "limiting")
            tokens = run(make_agents, url, agents_needed(FASTEST, seconds)).tokens
            # the agents of every round have the same names
            run(forget_windows, valkey.url())
            measure_cost(report, url, limiter_url, tokens, seconds)
            measure_flood(report, url, limiter_url, tokens, seconds)


async def forget_windows(redis_url: str) -> None:
    """Empty all windows in Redis too."""
    client = redis.asyncio.Redis.from_url(redis_url)
    await client.flushall()
    await client.aclose()


def measure_cost(report: Report, url: str, limiter_url: str, tokens: list[str], seconds: float) -> None:
    """Measure the same calls with the limiter and with only PostgreSQL's limit on posts, in short turns.

    The API process has its own core and everything else shares the rest. Every agent calls about as often as it may.
    """
    turn = itertools.cycle(tokens)
    with core_apart() as core, alone(url, core) as bare, alone(url, core, LIMITER_URL=limiter_url) as limited:
        for name, path, body, target in (
            ("threads", "/api/threads", THREAD, THREADS_WITH_LIMITER),
            ("votes", "/api/posts/{hot}/vote", VOTE, None),
        ):
            path = path.format(hot=run(first_thread, url) if "hot" in path else "")
            requests = (post(path, next(turn), body) for _ in itertools.count())
            rates = dict.fromkeys((bare, limited), 0.0)
            for address in rates:
                run(forget_limits, url)
                warm_up(address, requests, len(tokens))
            for address in [bare, limited] * TURNS:
                run(forget_limits, url)
                rates[address] += run(rate_of, address, requests, CLIENTS, seconds / TURNS)
            report.add(f"{name} with the limiter / without, {CLIENTS} clients", rates[limited] / rates[bare], target)


async def first_thread(url: str) -> int:
    """Return the id of the thread that all votes go to."""
    connection = await asyncpg.connect(url)
    found = await connection.fetchval("SELECT min(id) FROM posts WHERE parent IS NULL")
    await connection.close()
    return int(found)


def warm_up(address: str, requests: Requests, calls: int) -> None:
    """Make this many calls, so that every agent is cached: a token's first post needs a lookup."""
    while calls > 0:
        _, statuses = run(load, address, requests, CLIENTS, 0.5)
        calls -= sum(statuses.values())


def measure_flood(report: Report, url: str, limiter_url: str, tokens: list[str], seconds: float) -> None:
    """Measure how much slower other agents are served while one floods the same process over 50 connections."""
    run(forget_limits, url)
    others, flooder = iter(itertools.cycle(tokens[1:])), tokens[0]
    with api(url, LIMITER_URL=limiter_url) as (address, _), ProcessPoolExecutor(1) as pool:
        requests = (post("/api/threads", next(others), THREAD) for _ in itertools.count())
        calm = run(times, address, requests, seconds)
        flood = pool.submit(flood_for, address, flooder, seconds + 2)
        time.sleep(1)
        flooded = run(times, address, requests, seconds)
        report.add("p99 of other agents during a flood / without", p99(flooded) / p99(calm), OTHERS_DURING_A_FLOOD)
        print(f"      the flood: {flood.result():.0f} calls per second", flush=True)


def flood_for(address: str, token: str, seconds: float) -> float:
    rate, _ = run(load, address, itertools.repeat(post("/api/threads", token, THREAD)), FLOODERS, seconds)
    return rate


def p99(found: list[float]) -> float:
    return sorted(found)[int(len(found) * 0.99)]


async def times(address: str, requests: Requests, seconds: float) -> list[float]:
    """Return how long each call takes, in seconds, for a few agents that pause between calls."""
    deadline = time.perf_counter() + seconds
    found: list[float] = []

    async def caller() -> None:
        reader, writer = await asyncio.open_connection(urlsplit(address).hostname, urlsplit(address).port)
        while time.perf_counter() < deadline:
            began = time.perf_counter()
            writer.write(next(requests))
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split(b"\r")[0]))
            found.append(time.perf_counter() - began)
            await asyncio.sleep(PAUSE_SECONDS)
        writer.close()

    await asyncio.gather(*(caller() for _ in range(OTHERS)))
    return found

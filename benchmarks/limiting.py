"""The limiter: its cost, its decision rate, and the effect of a flood on other agents."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from urllib.parse import urlsplit

import msgspec
import redis.asyncio

from benchmarks import envoy
from benchmarks.client import Requests, load, post, rate_of
from benchmarks.creation import THREAD, VOTE, first_thread
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
from deploy.local.postgresql import PostgreSQL
from deploy.local.valkey import Valkey
from services.api.limiter_client import LimiterClient
from services.contract.checks import CHECK_PATH, Check
from services.contract.limits import POSTS
from services.limiter.window import MICROSECONDS, WINDOW, window_key
from services.process.metrics import Registry

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
            measure_decisions(report, valkey.url(), limiter_url, seconds)
            run(forget_windows, valkey.url())
            envoy.measure(report, valkey, seconds)


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
            ("threads", "/api/threads", THREAD, 0.6),
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
        report.add("p99 of other agents during a flood / without", p99(flooded) / p99(calm), 1.5, at_most=True)
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


def measure_decisions(report: Report, redis_url: str, limiter_url: str, seconds: float) -> None:
    """Measure decisions requested as the API requests them, relative to one redis-py script call per check."""
    run(forget_windows, redis_url)
    together = run(decided_together, limiter_url, seconds)
    run(forget_windows, redis_url)
    one_by_one = run(decided_one_by_one, redis_url, seconds)
    report.add(f"checks through the limiter / one redis-py EVALSHA per check, {CLIENTS} callers", together / one_by_one)
    run(forget_windows, redis_url)
    rate, statuses = run(load, limiter_url, map(json_list, itertools.count()), 4, seconds)
    decided_share = statuses[200] / sum(statuses.values())
    report.add(
        "one limiter process: thousands of decisions per second, in batches of 32",
        rate * decided_share * CLIENTS / 1000,
    )


def json_list(number: int) -> bytes:
    body = msgspec.json.encode([a_check(number * CLIENTS + place) for place in range(CLIENTS)])
    head = f"POST {CHECK_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def a_check(number: int) -> Check:
    return Check(POSTS.name, f"agent {number % 20_000}", f"{number:032x}", *POSTS.rate)


async def decided_together(limiter_url: str, seconds: float) -> float:
    client = LimiterClient(limiter_url, Registry())

    async def decide(check: Check) -> bool:
        return await client.check(check) is not None

    rate = await decided(decide, seconds)
    await client.close()
    return rate


async def decided_one_by_one(redis_url: str, seconds: float) -> float:
    client = redis.asyncio.Redis.from_url(redis_url)
    sha = await client.script_load(WINDOW)

    async def decide(check: Check) -> bool:
        arguments = (check.id, check.quota, check.window * MICROSECONDS)
        return len(await client.evalsha(sha, 1, window_key(check.policy, check.key), *arguments)) == 4

    rate = await decided(decide, seconds)
    await client.aclose()
    return rate


async def decided(decide: Callable[[Check], Awaitable[bool]], seconds: float) -> float:
    """Return checks per second of concurrent callers that each wait for their verdict."""
    numbers = itertools.count()
    counts = [0] * CLIENTS
    deadline = time.perf_counter() + seconds

    async def caller(place: int) -> None:
        while time.perf_counter() < deadline:
            # checks not decided in time do not count
            counts[place] += await decide(a_check(next(numbers)))

    began = time.perf_counter()
    await asyncio.gather(*(caller(place) for place in range(CLIENTS)))
    return sum(counts) / (time.perf_counter() - began)

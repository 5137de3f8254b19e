"""Finding things in a million posts, relative to `select 1`; the cost of the search index, and its delay."""

import asyncio
import http.client
import json
import time
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from benchmarks import naive
from benchmarks.creation import FASTEST, THREAD, measure_http, publish_for
from benchmarks.reading import (
    COMMON_CAPABILITY,
    COMMON_WORD,
    LINKS,
    QUESTION,
    RARE_CAPABILITY,
    RARE_WORD,
    filled,
    times_select_1,
)
from benchmarks.report import Report
from benchmarks.stage import Tokens, agents_needed, api, fanout, forget_limits, fresh_database, make_agents, run
from deploy.local.postgresql import PostgreSQL
from services.board.database.connections import read_pool
from services.board.database.pool import Pool
from services.board.opportunities import list_opportunities
from services.board.search import search_board
from services.board.streams import list_activity
from services.contract.requests import ActivityQuery, OpportunitiesQuery, SearchQuery

CLIENTS = (1, 32, 100)
POSTS_FOLLOWED = 100
LATE_SECONDS = 0.002


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of discovery to the report."""
    url = filled(server)
    for number in range(rounds):
        print(f"  discovery, round {number + 1} of {rounds}", flush=True)
        run(measure_reads, report, url)
        measure_index(server, report, seconds)


async def measure_reads(report: Report, url: str) -> None:
    """Measure the reads of handlers, relative to `select 1` through the same pool."""
    async with await read_pool(url, 1) as pool:
        for name, (call, target) in reads(pool).items():
            report.add(f"{name} / select 1", await times_select_1(pool, call), target, at_most=True)


def reads(pool: Pool) -> dict[str, tuple[Callable[[], Awaitable[Any]], float]]:
    """Return each call with its target."""

    def opportunities(capability: str | None) -> Callable[[], Awaitable[Any]]:
        return lambda: list_opportunities(pool, OpportunitiesQuery(capability), None, LINKS)

    def searching(q: str) -> Callable[[], Awaitable[Any]]:
        return lambda: search_board(pool, SearchQuery(q), LINKS)

    return {
        "first page: activity": (lambda: list_activity(pool, ActivityQuery(), LINKS), 3),
        "first page: opportunities": (opportunities(None), 3),
        "opportunities for a common capability": (opportunities(COMMON_CAPABILITY), 20),
        "opportunities for a rare capability": (opportunities(RARE_CAPABILITY), 20),
        "opportunities for an unwanted capability": (opportunities("nobody wants this"), 20),
        "search for a common word": (searching(COMMON_WORD), 150),
        "search for a rare word": (searching(RARE_WORD), 150),
        "search for a word in no post": (searching("nobodywrotethis"), 150),
        "search for a common and a rare word": (searching(f"{COMMON_WORD} {RARE_WORD}"), 150),
        "search for a question of twelve words": (searching(QUESTION), 300),
    }


def measure_index(server: PostgreSQL, report: Report, seconds: float) -> None:
    """Measure creation while a fanout process runs on the same processors, and how soon a post is in the index."""
    url = run(fresh_database, server, "discovery")
    run(naive.prepare, url)
    tokens = run(make_agents, url, agents_needed(FASTEST, seconds))
    run(publish_for, url, tokens.tokens, 1, 0.1)  # a thread to reply to
    for clients in CLIENTS:
        run(naive.empty, url)
        ceiling = naive.inserts_per_second(server, url, clients, seconds)
        with fanout(url):
            rates = measure_http(report, url, tokens, clients, seconds, ceiling, ", while indexing")
            left, created = run(posts_left, url)
        report.add(f"posts not yet indexed at the end / created, {clients} clients", left / created)
        idle = measure_http(Report(), url, tokens, clients, seconds, ceiling, ", not indexing")
        report.add(
            f"threads per second: while indexing / not indexing, {clients} clients", rates["thread"] / idle["thread"]
        )
    run(forget_limits, url)
    with fanout(url), api(url) as (address, _):
        creation, delay = run(follow_posts, url, address, tokens)
    report.add("delay from answer to index / one creation", delay / creation)
    print(f"    (that is {delay * 1000:.0f} ms; one creation takes {creation * 1000:.1f} ms)", flush=True)


async def posts_left(url: str) -> tuple[int, int]:
    """Return how many posts are not yet indexed, and how many there are."""
    connection = await asyncpg.connect(url)
    row = await connection.fetchrow("SELECT h.last_id - c.last_id, h.last_id FROM log_head h, search_cursor c")
    await connection.close()
    return row[0], row[1]


async def follow_posts(url: str, address: str, tokens: Tokens) -> tuple[float, float]:
    """Return the median seconds to create a thread on an idle board, and from its answer until it is indexed."""
    connection = await asyncpg.connect(url)
    await taken_in(connection, await connection.fetchval("SELECT last_id FROM log_head"))
    client = http.client.HTTPConnection(urlsplit(address).hostname or "", urlsplit(address).port)
    turn, creations, delays = iter(tokens), [], []
    for _ in range(POSTS_FOLLOWED):
        began = time.perf_counter()
        thread = await asyncio.to_thread(create_thread, client, next(turn))
        answered = time.perf_counter()
        await taken_in(connection, thread)
        creations.append(answered - began)
        delays.append(time.perf_counter() - answered)
    client.close()
    await connection.close()
    return median(creations), median(delays)


async def taken_in(connection: asyncpg.Connection, post: int) -> None:
    """Return once the index contains a post."""
    while await connection.fetchval("SELECT last_id FROM search_cursor") < post:  # noqa: ASYNC110 - there is no notification
        await asyncio.sleep(LATE_SECONDS)


def create_thread(client: http.client.HTTPConnection, token: str) -> int:
    """Publish a thread and return its id."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    client.request("POST", "/api/threads", THREAD, headers)
    answer = client.getresponse()
    body = answer.read()
    if answer.status != 201:
        raise RuntimeError(f"unexpected answer {answer.status}")
    return int(json.loads(body)["id"])

"""One of 10,000 threads at random, from an empty memory and from a full one, relative to a plain board in Go.

Both boards have a million posts: a thread in five, with its four replies behind it.
"""

import math
import random
from collections.abc import Sequence
from functools import partial

import asyncpg

from benchmarks import plain_go
from benchmarks.client import get, rate_of
from benchmarks.reading import POSTS, filled
from benchmarks.report import Report
from benchmarks.serving import alone
from benchmarks.stage import BODY, TURNS, Tokens, core_apart, empty_database, run
from benchmarks.writing import Side, nothing_left
from benchmarks.writing import alone as rival_alone
from deploy.local.postgresql import PostgreSQL
from services.board.tokens import new_token

THREADS = 10_000
CONNECTIONS = 32
REPLIES = """
INSERT INTO posts (parent, author_id, community, body)
SELECT t.id, 1, 'general', $1 FROM posts t, generate_series(1, 4) WHERE t.parent IS NULL ORDER BY t.id
"""


def measure(server: PostgreSQL, report: Report, rounds: int, _: float) -> None:
    """Add the rows of misses to the report: nothing without Go. Every read of a round is of another thread."""
    program = plain_go.build()
    if program is None:
        print("  misses: Go is not installed", flush=True)
        return
    url, rival_url = filled(server), run(empty_database, server, "plain_go")
    run(fill_rival, rival_url)
    rival = Side(rival_url, partial(plain_go.plain_go, program, rival_url), nothing_left)
    with core_apart() as core:
        for number in range(rounds):
            print(f"  misses, round {number + 1} of {rounds}", flush=True)
            measure_round(report, url, rival, core)


async def fill_rival(url: str) -> None:
    """Give the rival as many posts as the board has."""
    await plain_go.prepare(url, Tokens([new_token()]), [f"Thread {number}" for number in range(POSTS // 5)])
    connection = await asyncpg.connect(url)
    await connection.execute(REPLIES, BODY)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


def measure_round(report: Report, url: str, rival: Side, core: int | None) -> None:
    """Read all threads twice, from a process that has just started, in turns with the rival."""
    ids = random.sample(range(1, POSTS, 5), THREADS)
    rival_ids = random.sample(range(1, POSTS // 5 + 1), THREADS)
    with alone(url, core) as ours, rival_alone(rival, core) as (other, _):
        for name, target in (("cold", 0.6), ("warm", 1.1)):
            ratio = compare(ours, ids, other, rival_ids)
            report.add(f"one of {THREADS} threads, memory {name} / plain Go, {CONNECTIONS}", ratio, target)
            random.shuffle(ids)


def compare(ours: str, ids: Sequence[int], rival: str, rival_ids: Sequence[int]) -> float:
    """Return our rate divided by the rival's, in short turns, because the speed of a shared machine varies."""
    our_rates, rates = [], []
    for turn in range(TURNS):
        rates.append(rate(rival, rival_ids[turn::TURNS]))
        our_rates.append(rate(ours, ids[turn::TURNS]))
    return sum(our_rates) / sum(rates)


def rate(address: str, ids: Sequence[int]) -> float:
    """Return how many of these threads are read per second, each once."""
    requests = (get(f"/api/threads/{thread}") for thread in ids)
    return run(rate_of, address, requests, CONNECTIONS, math.inf, [200])

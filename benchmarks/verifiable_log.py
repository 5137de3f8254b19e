"""The cost of the verifiable log: CPU time and write-ahead log for each post, and how fast threads are created with it.

A step covers the posts of ten seconds: of a busy board with 300 posts a second, and of a quiet one with 20.
"""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

import asyncpg

from benchmarks.client import post, rate_of
from benchmarks.indexing import POSITION, process_of, publication
from benchmarks.report import Report
from benchmarks.stage import (
    BODY,
    TURNS,
    Tokens,
    agents_needed,
    api,
    fanout,
    forget_limits,
    fresh_database,
    make_agents,
    run,
)
from benchmarks.texts import bodies, text
from benchmarks.writing import cpu_seconds
from deploy.local.postgresql import PostgreSQL
from services.board.database.connections import writing_connection
from services.board.posts import publish_batch
from services.board.signed_note import Signer, make_key
from services.board.tokens import hash_token
from services.board.verifiable_log import extend
from services.fanout.worker import SESSION

BATCH = 25
RATE_TARGET = 0.95
KEY = make_key("board.example/log")
CLIENTS = 32
FASTEST = 2_000


class Pace(NamedTuple):
    """The posts that a step covers, how many steps are measured, and the targets for each post: us of CPU, bytes."""

    posts: int
    steps: int
    cpu: float | None = None
    log: float | None = None


PACES = Pace(3_000, 3, 20, 150), Pace(200, 10)


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of the verifiable log to the report."""
    for number in range(rounds):
        print(f"  verifiable log, round {number + 1} of {rounds}", flush=True)
        for pace in PACES:
            url = run(fresh_database, server, "verifiable_log")
            tokens = run(make_agents, url, pace.posts * pace.steps).tokens
            run(measure_steps, report, url, [hash_token(token) for token in tokens], pace)
        measure_creation(server, report, seconds)


async def measure_steps(report: Report, url: str, hashes: list[bytes], pace: Pace) -> None:
    """Measure the steps of one pace, in this process and in PostgreSQL."""
    signer, chance = Signer(KEY), random.Random(1)
    author, backend = await writing_connection(url), await writing_connection(url, **SESSION)
    await extend(backend, signer)
    server, cpu, log = [await process_of(backend)], 0.0, 0
    for first in range(0, len(hashes), pace.posts):
        await publish_all(author, hashes[first : first + pace.posts], chance)
        before = cpu_seconds(server) + time.process_time(), await backend.fetchval(POSITION)
        step = await extend(backend, signer)
        if step is None or step.leaves != pace.posts:
            raise RuntimeError(f"A step of {pace.posts} posts added {step}.")
        cpu += cpu_seconds(server) + time.process_time() - before[0]
        log += await backend.fetchval(POSITION) - before[1]
    name = f"steps of {pace.posts:,} posts"
    report.add(f"verifiable log: us of CPU for a post, {name}", 1e6 * cpu / len(hashes), pace.cpu, at_most=True)
    report.add(f"verifiable log: bytes of log for a post, {name}", log / len(hashes), pace.log, at_most=True)
    await author.close()
    await backend.close()


async def publish_all(author: asyncpg.Connection, hashes: list[bytes], chance: random.Random) -> None:
    """Publish a thread of each agent."""
    for first in range(0, len(hashes), BATCH):
        batch = [publication(each, text(chance)) for each in hashes[first : first + BATCH]]
        await publish_batch(author, batch, communities_open=True)


def measure_creation(server: PostgreSQL, report: Report, seconds: float) -> None:
    """Measure threads a second over HTTP while a fan-out signs, relative to a fan-out without a key."""
    with ExitStack() as started:
        boards = {}
        for name, settings in {"without": {}, "with": {"LOG_KEY": KEY}}.items():
            url = run(fresh_database, server, f"log_{name}")
            requests = threads(run(make_agents, url, agents_needed(FASTEST, seconds)))
            started.enter_context(fanout(url, **settings))
            boards[name] = url, started.enter_context(api(url))[0], requests
        rates = dict.fromkeys(boards, 0.0)
        for name in [*boards] * TURNS:
            url, address, requests = boards[name]
            run(forget_limits, url)
            rates[name] += run(rate_of, address, requests, CLIENTS, seconds / TURNS)
    report.add("verifiable log: threads a second with / without it", rates["with"] / rates["without"], RATE_TARGET)


def threads(tokens: Tokens) -> Iterator[bytes]:
    """Return endless requests that create a thread."""
    turn = iter(tokens)
    return (post("/api/threads", next(turn), body) for body in bodies(len(BODY), title="How would you do it?"))

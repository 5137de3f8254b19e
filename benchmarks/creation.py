"""Creating posts: over HTTP, and with only the committer, relative to a naive insert by pgbench."""

import asyncio
import itertools
import json
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import asyncpg

from benchmarks import naive
from benchmarks.client import post, rate_of
from benchmarks.report import Report
from benchmarks.stage import BODY, TURNS, Tokens, agents_needed, api, forget_limits, fresh_database, make_agents, run
from benchmarks.texts import bodies
from deploy.local.postgresql import PostgreSQL
from services.api.commits.committer import Committer
from services.board.database.admission import Admission
from services.board.posts import Publication
from services.board.tokens import hash_token
from services.process.metrics import Registry

CLIENTS = (1, 32, 100)
HTTP_TARGETS = {1: 0.28, 32: 0.4, 100: 0.6}
COMMITTER_TARGETS = {1: 0.45, 32: 1.0, 100: 1.35}
FASTEST = 40000  # more posts a second than any such machine reaches; sets how many agents to prepare
PROCESSES = 4

THREAD = json.dumps({"title": "How would you do it?", "body": BODY}).encode()
VOTE = json.dumps({"value": 1}).encode()


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of creation to the report."""
    for number in range(rounds):
        print(f"  creation, round {number + 1} of {rounds}", flush=True)
        url = run(fresh_database, server, "creation")
        run(naive.prepare, url)
        tokens = run(make_agents, url, agents_needed(FASTEST, seconds))
        for clients in CLIENTS:
            run(naive.empty, url)
            ceiling = naive.inserts_per_second(server, url, clients, seconds)
            measure_committer(report, url, tokens, clients, seconds, ceiling)
            measure_http(report, url, tokens, clients, seconds, ceiling)


def measure_committer(report: Report, url: str, tokens: Tokens, clients: int, seconds: float, ceiling: float) -> None:
    run(forget_limits, url)
    rate = run(publish_for, url, tokens.tokens, clients, seconds)
    report.add(f"committer, {clients} clients", rate / ceiling, COMMITTER_TARGETS[clients])
    if clients == 32:
        run(forget_limits, url)
        rate = processes_rate(url, tokens, clients, seconds)
        report.add(f"committer, {clients} clients, {PROCESSES} processes", rate / ceiling, 0.8)


def processes_rate(url: str, tokens: Tokens, clients: int, seconds: float) -> float:
    """Return posts per second of several processes that share the clients, each with its own committer."""
    share = len(tokens.tokens) // PROCESSES
    parts = [tokens.tokens[n * share : (n + 1) * share] for n in range(PROCESSES)]
    with ProcessPoolExecutor(PROCESSES) as pool:
        return sum(pool.map(publish_in_process, [(url, part, clients // PROCESSES, seconds) for part in parts]))


def publish_in_process(task: tuple[str, list[str], int, float]) -> float:
    return float(run(publish_for, *task))


async def publish_for(url: str, tokens: list[str], clients: int, seconds: float) -> float:
    """Return posts per second of one committer."""
    committer = Committer(Admission(url), True, 2000, Registry())
    await committer.start()
    hashes = itertools.cycle([hash_token(token) for token in tokens])
    counts = [0] * clients
    deadline = time.perf_counter() + seconds

    async def publisher(number: int) -> None:
        while time.perf_counter() < deadline:
            outcome = await committer.publish(publication(next(hashes)))
            if outcome.outcome != "created":
                raise RuntimeError(f"the committer: unexpected outcome {outcome.outcome}")
            counts[number] += 1

    began = time.perf_counter()
    await asyncio.gather(*(publisher(number) for number in range(clients)))
    rate = sum(counts) / (time.perf_counter() - began)
    await committer.close()
    return rate


def publication(token_hash: bytes) -> Publication:
    return Publication(uuid.uuid4(), token_hash, None, None, None, "How would you do it?", BODY, "general", "[]", None)


def measure_http(
    report: Report, url: str, tokens: Tokens, clients: int, seconds: float, ceiling: float, condition: str = ""
) -> dict[str, float]:
    """Return rates over HTTP by kind, measured in short turns; `condition` says what else is running."""
    everything = kinds(url, tokens)
    names = [*everything] if clients == 32 and not condition else ["thread", "thread with key"]
    rates = dict.fromkeys(names, 0.0)
    with api(url) as (address, _):
        for name in names * TURNS:
            run(forget_limits, url)
            rates[name] += run(rate_of, address, everything[name], clients, seconds / TURNS) / TURNS
    for name in ("thread", "thread with key"):
        report.add(f"HTTP: {name}, {clients} clients{condition}", rates[name] / ceiling, HTTP_TARGETS[clients])
    if clients == 32 and not condition:
        report.add("HTTP: replies to one hot thread / threads, 32", rates["reply"] / rates["thread"], 1.0)
        report.add("HTTP: votes on one hot post / threads, 32", rates["vote"] / rates["thread"], 1.0)
    return rates


def kinds(url: str, tokens: Tokens) -> dict[str, Iterator[bytes]]:
    """Return endless requests of each kind."""
    hot = run(first_thread, url)
    turn, threads, replies = iter(tokens), bodies(len(BODY), title="How would you do it?"), bodies(len(BODY))
    return {
        "thread": (post("/api/threads", next(turn), body) for body in threads),
        "thread with key": (post("/api/threads", next(turn), body, str(uuid.uuid4())) for body in threads),
        "reply": (post(f"/api/threads/{hot}/replies", next(turn), body) for body in replies),
        "vote": (post(f"/api/posts/{hot}/vote", next(turn), VOTE) for _ in itertools.count()),
    }


async def first_thread(url: str) -> int:
    """Return the id of the thread that all replies and votes go to."""
    connection = await asyncpg.connect(url)
    found = await connection.fetchval("SELECT min(id) FROM posts WHERE parent IS NULL")
    await connection.close()
    return int(found)

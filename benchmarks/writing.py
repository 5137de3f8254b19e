"""Writes over HTTP, and the search index that they cause: their CPU, relative to that of a plain row.

The CPU is that of all processes of the board and of PostgreSQL. Only PostgreSQL stores a plain row, in a
transaction of its own.
"""

import asyncio
import itertools
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import asyncpg

from benchmarks.report import Report
from benchmarks.stage import FOLDER, fresh_database, make_agents, run, whole_board
from benchmarks.visits import Planned, connected, make, used, warm_up
from services.board.search.search import find_position
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

CLIENTS, WRITES, THREADS = 32, 2_000, 101
TEXT_BYTES, VOCABULARY = 1000, 50_000
INDEX_SECONDS = 120
# A row takes so little that some kernels, which count CPU in steps of 10 ms, would hardly see 2,000 of them.
ROWS_PER_TEXT = 20
# measured: 8.1, 8.5 and 3.8, on an idle machine with two cores
TARGETS = {"thread": 12, "reply": 13, "vote": 6}
LIMITS = {"LIMIT_POSTS": "10000/60"}
ROWS = "CREATE TABLE plain (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text, body text NOT NULL)"
ROW = "INSERT INTO plain (title, body) VALUES ('How would you do it?', $1)"


def measure(server: PostgreSQL, report: Report, rounds: int, _: float) -> None:
    """Add the CPU of each kind of write to the report; the number of writes is fixed."""
    chance = random.Random(1)
    texts = [text(chance) for _ in range(WRITES)]
    for number in range(rounds):
        print(f"  writing, round {number + 1} of {rounds}", flush=True)
        url = run(fresh_database, server, "writing")
        tokens = run(make_agents, url, CLIENTS)
        row = run(cost_of_row, url, texts)
        # The agents of each round have the same ids, and the votes of an agent are limited.
        with Valkey(FOLDER / f"valkey{number}") as valkey, whole_board(url, valkey.url(), **LIMITS) as address:
            warm_up(address, tokens)
            for kind, calls in kinds(texts).items():
                cost = cost_of(url, address, calls, tokens)
                report.add(f"CPU of a {kind} / CPU of a row", cost / row, TARGETS[kind])


def text(chance: random.Random) -> str:
    """Return a text whose words are as frequent as in real ones: the n-th word of all occurs 1/n times as often."""
    words = (f"w{int(VOCABULARY ** chance.random()):x}e" for _ in range(TEXT_BYTES // 4))
    return " ".join(words)[:TEXT_BYTES]


def kinds(texts: Sequence[str]) -> dict[str, list[Planned]]:
    """Return the calls of each kind. The threads come first: they get the replies and votes."""
    threads = itertools.cycle(range(1, THREADS + 1))
    title = {"title": "How would you do it?"}
    return {
        "thread": [Planned("POST", "/api/threads", {**title, "body": each}) for each in texts],
        "reply": [Planned("POST", f"/api/threads/{next(threads)}/replies", {"body": each}) for each in texts],
        "vote": [Planned("POST", f"/api/posts/{next(threads)}/vote", {"value": 1}) for _ in texts],
    }


def cost_of(url: str, address: str, calls: Sequence[Planned], tokens: Sequence[str]) -> float:
    """Return the CPU seconds of a call, made over several connections, until the search index has all of them."""

    def write_some(number: int) -> None:
        connection = connected(address)
        for call in calls[number::CLIENTS]:
            make(connection, call, tokens[number])
        connection.close()

    before = used()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(write_some, range(CLIENTS)))
    run(until_indexed, url)
    return (used() - before) / len(calls)


async def until_indexed(url: str) -> None:
    connection = await asyncpg.connect(url)
    async with asyncio.timeout(INDEX_SECONDS):
        while (await find_position(connection)).behind:  # noqa: ASYNC110 - the fan-out is another process
            await asyncio.sleep(0.01)
    await connection.close()


async def cost_of_row(url: str, texts: Sequence[str]) -> float:
    """Return the CPU seconds of a plain row, stored over as many connections."""
    async with asyncpg.create_pool(url, min_size=CLIENTS, max_size=CLIENTS) as pool:
        await pool.execute(ROWS)
        before = used()
        for _ in range(ROWS_PER_TEXT):
            await asyncio.gather(*(pool.execute(ROW, each) for each in texts))
        # the CPU of connections that have ended is not known any more
        return (used() - before) / len(texts) / ROWS_PER_TEXT

"""Searches among a million posts, relative to `select 1`."""

import time
from collections.abc import Awaitable, Callable
from functools import partial
from statistics import median
from typing import Any

from benchmarks.population import COMMON_WORD, RARE_WORD, fill
from benchmarks.report import Report
from benchmarks.stage import run
from services.board.database.pool import Pool, read_pool
from services.board.links import Links
from services.board.search.search import search_board
from services.contract.requests.queries import SearchQuery
from services.local.postgresql import PostgreSQL

TURNS = 4  # of each side, because the speed of a shared machine varies
WARM_UP = 10
REPEATS = 50
LINKS = Links("http://127.0.0.1:8000")
# None of them is in fewer than 1,000 posts: threads with most of them are looked for.
QUESTION = "how would they go word1 word2 word3 word5 word8 word13 about length?"
# each with its target
SEARCHES: dict[str, tuple[str, float]] = {
    "a common word": (COMMON_WORD, 150),
    "a rare word": (RARE_WORD, 150),
    "a word in no post": ("nobodywrotethis", 150),
    "a common and a rare word": (f"{COMMON_WORD} {RARE_WORD}", 150),
    "a question of twelve words": (QUESTION, 300),
}


def measure(server: PostgreSQL, report: Report, rounds: int, _: float) -> None:
    """Add the rows of search to the report; the number of posts is fixed, and the duration does not matter."""
    url = run(fill, server)
    for number in range(rounds):
        print(f"  search, round {number + 1} of {rounds}", flush=True)
        run(measure_searches, report, url)


async def measure_searches(report: Report, url: str) -> None:
    """Measure searches as a handler makes them, relative to `select 1` through the same pool."""
    async with await read_pool(url, 1) as pool:
        for name, (q, target) in SEARCHES.items():
            search = partial(search_board, pool, SearchQuery(q), LINKS)
            report.add(f"search for {name} / select 1", await times_select_1(pool, search), target)


async def times_select_1(pool: Pool, call: Callable[[], Awaitable[Any]]) -> float:
    """Return how many times as long as `select 1` a call takes, from medians over alternating turns after warm-ups."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(TURNS):
        ours += await times_of(call)
        theirs += await times_of(partial(pool.fetchval, "SELECT 1"))
    return median(ours) / median(theirs)


async def times_of(call: Callable[[], Awaitable[Any]]) -> list[float]:
    """Return the durations of repeated calls, in seconds."""
    times = []
    for _ in range(WARM_UP + REPEATS):
        began = time.perf_counter()
        await call()
        times.append(time.perf_counter() - began)
    return times[WARM_UP:]

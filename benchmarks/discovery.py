"""Finding things in a million posts, relative to `select 1`."""

import time
import uuid
from collections.abc import Awaitable, Callable
from functools import partial
from statistics import median
from typing import Any

from benchmarks.reading import (
    COMMON_CAPABILITY,
    COMMON_WORD,
    LINKS,
    QUESTION,
    RARE_CAPABILITY,
    RARE_WORD,
    REPEATS,
    filled,
    times_of,
    times_select_1,
)
from benchmarks.report import Report
from benchmarks.stage import make_agents, run
from benchmarks.targets import (
    OPPORTUNITIES_TO_SELECT_1,
    QUESTION_TO_SELECT_1,
    SEARCH_TO_SELECT_1,
    STREAMS_TO_SELECT_1,
    Target,
)
from services.board.access.tokens import hash_token
from services.board.database.connections import read_pool, writing_connection
from services.board.database.pool import Pool
from services.board.overview.opportunities import list_opportunities
from services.board.posts.publications import Publication, publish_batch
from services.board.posts.streams import list_activity
from services.board.search.search import index_log, search_board
from services.contract.requests.queries import ActivityQuery, OpportunitiesQuery, SearchQuery
from services.local.postgresql import PostgreSQL

REPLIES = 10  # of each thread, on a board with a number of threads
STEP = 200, 200_000


def measure(server: PostgreSQL, report: Report, rounds: int, _: float, threads: int = 0) -> None:
    """Add the rows of discovery to the report; the duration does not matter.

    The board has a number of threads with ten replies each; without it, the million posts of the part "reading".
    """
    url = filled(server, threads * (1 + REPLIES), 1 + REPLIES) if threads else filled(server)
    for number in range(rounds):
        print(f"  discovery, round {number + 1} of {rounds}", flush=True)
        run(measure_reads, report, url)
        run(measure_arrivals, report, url)


async def measure_reads(report: Report, url: str) -> None:
    """Measure the reads of handlers, relative to `select 1` through the same pool."""
    async with await read_pool(url, 1) as pool:
        for name, (call, target) in reads(pool).items():
            report.add(f"{name} / select 1", await times_select_1(pool, call), target)


def reads(pool: Pool) -> dict[str, tuple[Callable[[], Awaitable[Any]], Target]]:
    """Return each call with its target."""

    def opportunities(capability: str | None) -> Callable[[], Awaitable[Any]]:
        return lambda: list_opportunities(pool, OpportunitiesQuery(capability), None, LINKS)

    def searching(q: str) -> Callable[[], Awaitable[Any]]:
        return lambda: search_board(pool, SearchQuery(q), LINKS)

    return {
        "first page: activity": (lambda: list_activity(pool, ActivityQuery(), LINKS), STREAMS_TO_SELECT_1),
        "first page: opportunities": (opportunities(None), STREAMS_TO_SELECT_1),
        "opportunities for a common capability": (opportunities(COMMON_CAPABILITY), OPPORTUNITIES_TO_SELECT_1),
        "opportunities for a rare capability": (opportunities(RARE_CAPABILITY), OPPORTUNITIES_TO_SELECT_1),
        "opportunities for an unwanted capability": (opportunities("nobody wants this"), OPPORTUNITIES_TO_SELECT_1),
        "search for a common word": (searching(COMMON_WORD), SEARCH_TO_SELECT_1),
        "search for a rare word": (searching(RARE_WORD), SEARCH_TO_SELECT_1),
        "search for a word in no post": (searching("nobodywrotethis"), SEARCH_TO_SELECT_1),
        "search for a common and a rare word": (searching(f"{COMMON_WORD} {RARE_WORD}"), SEARCH_TO_SELECT_1),
        "search for a question of twelve words": (searching(QUESTION), QUESTION_TO_SELECT_1),
    }


async def measure_arrivals(report: Report, url: str) -> None:
    """Measure the first search for the words of a reply, before the index has them."""
    tokens = iter(await make_agents(url, REPEATS))
    author = await writing_connection(url)
    times = []
    async with await read_pool(url, 1) as pool:
        for number in range(REPEATS):
            await publish_batch(author, [reply(hash_token(next(tokens)), f"arrived{number}")], communities_open=True)
            began = time.perf_counter()
            await search_board(pool, SearchQuery(f"arrived{number} {RARE_WORD}"), LINKS)
            times.append(time.perf_counter() - began)
            await index_log(author, *STEP)
        ratio = median(times) / median(await times_of(partial(pool.fetchval, "SELECT 1")))
    await author.close()
    report.add("search for words of a reply that just arrived / select 1", ratio, SEARCH_TO_SELECT_1)


def reply(token_hash: bytes, word: str) -> Publication:
    return Publication(uuid.uuid4(), token_hash, None, 1, None, None, f"Then it {word}.", None, "[]", None)

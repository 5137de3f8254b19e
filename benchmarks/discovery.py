"""Finding things in a million posts, relative to `select 1`."""

from collections.abc import Awaitable, Callable
from typing import Any

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
from benchmarks.stage import run
from benchmarks.targets import (
    OPPORTUNITIES_TO_SELECT_1,
    QUESTION_TO_SELECT_1,
    SEARCH_TO_SELECT_1,
    STREAMS_TO_SELECT_1,
    Target,
)
from services.board.database.connections import read_pool
from services.board.database.pool import Pool
from services.board.overview.opportunities import list_opportunities
from services.board.posts.streams import list_activity
from services.board.search.search import search_board
from services.contract.requests import ActivityQuery, OpportunitiesQuery, SearchQuery
from services.local.postgresql import PostgreSQL


def measure(server: PostgreSQL, report: Report, rounds: int, _: float) -> None:
    """Add the rows of discovery to the report; the duration does not matter."""
    url = filled(server)
    for number in range(rounds):
        print(f"  discovery, round {number + 1} of {rounds}", flush=True)
        run(measure_reads, report, url)


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

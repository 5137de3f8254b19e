"""Pages for people, relative to the JSON of the same content: when they are built, and when they come from memory."""

from collections.abc import Awaitable, Callable
from functools import partial
from statistics import median
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from benchmarks.client import get
from benchmarks.reading import LINKS, RARE_WORD, filled, times_of
from benchmarks.report import Report
from benchmarks.serving import LIST, THREAD, Contest, alone
from benchmarks.stage import TURNS, core_apart, run
from benchmarks.targets import STORED_PAGE_TO_LIST
from services.api.handlers.call import Call
from services.api.handlers.shared_reads import SharedReads
from services.api.pages.site import Site
from services.api.pages.sizes import AGENTS_PER_PAGE, LIVELY_THREADS, THREADS_PER_PAGE
from services.api.pages.texts import Texts
from services.api.request.table import handlers
from services.board.database.connections import read_pool
from services.contract.operations import NAMED
from services.contract.requests.page_queries import (
    CommunityQuery,
    ConversationQuery,
    DirectoryQuery,
    PageQuery,
    SearchPageQuery,
    WrittenQuery,
)
from services.contract.requests.queries import AgentsQuery, OpportunitiesQuery, RepliesQuery, SearchQuery, ThreadsQuery
from services.local.postgresql import PostgreSQL

HANDLERS = handlers()
Build = Callable[[], Awaitable[Any]]
Sent = tuple[str, dict[str, Any], Any]
AGENT, COMMUNITY = "agent-77", "community-3"
# A page, and the reads that have the same content.
PAIRS: dict[str, tuple[Sent, tuple[Sent, ...]]] = {
    "/": (
        ("show_board", {}, PageQuery()),
        (
            ("list_threads", {}, ThreadsQuery("active", limit=LIVELY_THREADS)),
            ("list_threads", {}, ThreadsQuery(limit=THREADS_PER_PAGE)),
            ("read_stats", {}, None),
        ),
    ),
    "/t/{id}": (
        ("show_thread", {"id": THREAD}, ConversationQuery()),
        (("read_thread", {"id": THREAD}, RepliesQuery()),),
    ),
    "/a/{name}": (("show_agent", {"name": AGENT}, WrittenQuery()), (("read_agent", {"name": AGENT}, None),)),
    "/c/{slug}": (
        ("show_community", {"slug": COMMUNITY}, CommunityQuery()),
        (("list_threads", {}, ThreadsQuery(community=COMMUNITY, limit=THREADS_PER_PAGE)),),
    ),
    "/agents": (("show_agents", {}, DirectoryQuery()), (("list_agents", {}, AgentsQuery(limit=AGENTS_PER_PAGE)),)),
    "/search": (("show_search", {}, SearchPageQuery(RARE_WORD)), (("search_board", {}, SearchQuery(RARE_WORD)),)),
    "/requests": (("show_requests", {}, OpportunitiesQuery()), (("list_opportunities", {}, OpportunitiesQuery()),)),
}
HITS = ("/", f"/t/{THREAD}", "/agents")


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of pages to the report."""
    url = filled(server)
    with core_apart() as core:
        for number in range(rounds):
            print(f"  pages, round {number + 1} of {rounds}", flush=True)
            run(measure_builds, report, url)
            measure_hits(report, url, core, seconds)


async def measure_builds(report: Report, url: str) -> None:
    """Measure the time in which a page is read and rendered, relative to that of the JSON.

    A cold page renders all of its texts; in a warm one, as after a vote, they are still in memory.
    """
    async with await read_pool(url, 1) as pool:
        site = Site(LINKS)
        resources: Any = SimpleNamespace(reads=pool, shared=SharedReads(pool), links=LINKS, site=site)
        for path, (page, reads) in PAIRS.items():
            cold, warm, json = [], [], []
            for _ in range(TURNS):
                cold += await times_of(partial(build_cold, site, resources, page))
                json += await times_of(partial(build_all, resources, reads))
                warm += await times_of(partial(build, resources, page))
            report.add(f"page {path} / its JSON, built cold", median(cold) / median(json))
            report.add(f"page {path} / its JSON, built warm", median(warm) / median(json))


async def build_cold(site: Site, resources: Any, page: Sent) -> bytes:
    site.texts = Texts()
    return await build(resources, page)


async def build_all(resources: Any, reads: tuple[Sent, ...]) -> list[bytes]:
    return [await build(resources, read) for read in reads]


async def build(resources: Any, sent: Sent) -> bytes:
    """Return the body of an answer, as for a client whose answer is not in memory."""
    name, path, query = sent
    content = await HANDLERS[name](resources, Call(NAMED[name], 0, path=cast(Any, path), query=query, feed_read=0))
    return content if isinstance(content, bytes) else msgspec.json.encode(content)


def measure_hits(report: Report, url: str, core: int | None, seconds: float) -> None:
    """Measure pages from memory, relative to the list of threads over the same process."""
    with alone(url, core) as address:
        contest = Contest(address, address, get(LIST), seconds)
        for page in HITS:
            ratio = contest.ratio(get(page).replace(b"\r\n\r\n", b"\r\nAccept: text/html\r\n\r\n"), 32)
            report.add(f"page {page} / list of 50 threads, from memory, 32", ratio, STORED_PAGE_TO_LIST)

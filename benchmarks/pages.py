"""Pages for people, relative to the JSON of the same content: when they are built, and when they come from memory."""

from collections.abc import Awaitable, Callable
from functools import partial
from statistics import median
from types import SimpleNamespace
from typing import Any

import msgspec

from benchmarks.client import get
from benchmarks.reading import LINKS, filled, times_of
from benchmarks.report import Report
from benchmarks.serving import LIST, THREAD, Contest, alone
from benchmarks.stage import TURNS, core_apart, run
from deploy.local.postgresql import PostgreSQL
from services.api.call import Call
from services.api.handlers import handlers
from services.api.site.site import Site
from services.api.site.sizes import AGENTS_PER_PAGE
from services.board.database.connections import read_pool
from services.contract.operations import NAMED
from services.contract.requests import AgentsQuery, ConversationQuery, DirectoryQuery, OpportunitiesQuery, RepliesQuery

Build = Callable[[], Awaitable[Any]]
Sent = tuple[str, dict[str, Any], Any]
# A page, and the read that has the same content.
PAIRS: tuple[tuple[Sent, Sent], ...] = (
    (
        ("show_thread", {"id": THREAD}, ConversationQuery()),
        ("read_thread", {"id": THREAD}, RepliesQuery()),
    ),
    (("show_agents", {}, DirectoryQuery()), ("list_agents", {}, AgentsQuery(limit=AGENTS_PER_PAGE))),
    (("show_requests", {}, OpportunitiesQuery()), ("list_opportunities", {}, OpportunitiesQuery())),
)
HITS = (("/", LIST), (f"/t/{THREAD}", f"/api/threads/{THREAD}"), ("/agents", f"/api/agents?limit={AGENTS_PER_PAGE}"))


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of pages to the report."""
    url = filled(server)
    with core_apart() as core:
        for number in range(rounds):
            print(f"  pages, round {number + 1} of {rounds}", flush=True)
            run(measure_builds, report, url)
            measure_hits(report, url, core, seconds)


async def measure_builds(report: Report, url: str) -> None:
    """Measure the time in which a page is read and rendered, relative to that of the JSON."""
    async with await read_pool(url, 1) as pool:
        resources: Any = SimpleNamespace(reads=pool, links=LINKS, site=Site(LINKS))
        for page, read in PAIRS:
            ours, theirs = [], []
            for _ in range(TURNS):
                ours += await times_of(partial(build, resources, page))
                theirs += await times_of(partial(build, resources, read))
            report.add(f"{page[0]} / {read[0]}, built", median(ours) / median(theirs), 2, at_most=True)


async def build(resources: Any, sent: Sent) -> bytes:
    """Return the body of an answer, as for a client whose answer is not in memory."""
    name, path, query = sent
    content = await handlers()[name](resources, Call(NAMED[name], 0, path=path, query=query))
    return content if isinstance(content, bytes) else msgspec.json.encode(content)


def measure_hits(report: Report, url: str, core: int | None, seconds: float) -> None:
    """Measure pages from memory, relative to the JSON over the same process."""
    with alone(url, core) as address:
        for page, read in HITS:
            contest = Contest(address, address, get(read), seconds)
            ratio = contest.ratio(get(page).replace(b"\r\n\r\n", b"\r\nAccept: text/html\r\n\r\n"), 32)
            report.add(f"page {page} / {read}, from memory, 32", ratio, 0.8)

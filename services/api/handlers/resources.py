"""The parts of an API process that handlers use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from services.api.http.responses import Answer
from services.api.limiter_client import LimiterClient
from services.board.access.rates import RatesInForce
from services.board.database.pool import Part, Pool
from services.board.links import Links
from services.board.overview.health import Probe
from services.board.posts.commits.committer import Committer
from services.contract.answers.posts import Reply, Thread

from .shared_reads import SharedReads


class Site(Protocol):
    """Renders the pages for people."""

    def page(self, name: str, **content: Any) -> bytes:
        """Return the page of an operation."""

    async def html_of(self, posts: Sequence[Thread | Reply]) -> tuple[Mapping[int, str], bool]:
        """Return the HTML of the texts of posts by their ids, and whether there was time for all of them."""

    def problem_page(self, refusal: Answer) -> Answer:
        """Return a problem as a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """The parts of an API process that handlers use.

    The pool `reads` cannot write; `searches` is a part of it, and `shared` reads from it for all calls that wait.
    `probe` asks whether the database answers, `is_stalled` whether changes fail. `documents` holds the fixed documents
    by path. `site` renders the pages for people. `rates` follows the rates of the limits. Without a `limiter`, only
    PostgreSQL limits posts.
    """

    reads: Pool
    searches: Part
    shared: SharedReads
    writes: Pool
    probe: Probe
    is_stalled: Callable[[], bool]
    committer: Committer
    links: Links
    documents: dict[str, bytes]
    site: Site
    secret_guard: bool
    rates: RatesInForce
    limiter: LimiterClient | None

"""The two arguments of every handler: the resources of the process, and the call."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from services.api.commits.committer import Committer
from services.api.limiter_client import LimiterClient
from services.api.site.site import Site
from services.board.database.pool import Pool
from services.board.health import Probe
from services.board.links import Links
from services.board.posts import Keyed
from services.contract.operations import Operation

from .shared_reads import SharedReads


@dataclass(frozen=True, slots=True)
class Resources:
    """The parts of an API process that handlers use.

    The pool `reads` cannot write; `shared` reads from it for all calls that wait. `token_lookups` is a pool for tokens
    only, so that no look-up waits behind a write that waits for the log. `probe` asks whether the database answers,
    `disk_is_full` whether it lately refused a write. `documents` holds the fixed documents by path, `compressed` their
    gzip form. `site` renders the pages for people. Without a `limiter`, only PostgreSQL limits posts.
    """

    reads: Pool
    shared: SharedReads
    writes: Pool
    token_lookups: Pool
    probe: Probe
    disk_is_full: Callable[[], bool]
    committer: Committer
    links: Links
    documents: dict[str, bytes]
    compressed: dict[str, bytes]
    site: Site
    secret_guard: bool
    limiter: LimiterClient | None


@dataclass(slots=True)
class Call:
    """One call, filled in step by step.

    `meaning` is that of its URL (inputs.py). `caller` is set if the operation's effect needs a token, `agent` once the
    caller's name is known, which for some writes is after their transaction; `address` is the window key of the
    client's address. `feed_read` is the read of the change feed that the call waited for, and `tags` are the
    dependencies of the answer that its handler found. A `fleeting` answer can change without a change on the board, and
    is not kept. `ignored` are the names of query parameters that the operation does not know. `begun` is set once a
    write may change something, and `seconds` once the answer is known.
    """

    operation: Operation
    request_id: int
    address: str = ""
    meaning: Any = None
    path: Any = None
    query: Any = None
    body: Any = None
    caller: Any = None
    agent: str | None = None
    key: str | None = None
    fingerprint: bytes | None = None
    feed_read: int | None = None
    tags: frozenset[str] | None = None
    fleeting: bool = False
    ignored: tuple[str, ...] = ()
    begun: bool = False
    seconds: float = 0.0

    @property
    def keyed(self) -> Keyed:
        """Return the id, key and fingerprint that make this call repeatable."""
        return Keyed(uuid.UUID(int=self.request_id), self.key, self.fingerprint)

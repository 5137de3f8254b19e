"""What handlers work with: the board's connections, its writer and its addresses."""

import uuid
from dataclasses import dataclass
from typing import Any

import asyncpg

from services.board.contract.operations import Operation
from services.board.links import Links
from services.board.posts import Keyed

from .committer import Committer
from .limiter_client import LimiterClient


@dataclass(frozen=True, slots=True)
class Board:
    """The parts of one api process. `reads` cannot write; `look_ups` are for tokens alone, so that
    no write that waits for the log keeps a caller waiting; `documents` are the ready texts of fixed documents; without
    a limiter the log judges the rate of posts alone."""

    reads: asyncpg.Pool
    writes: asyncpg.Pool
    look_ups: asyncpg.Pool
    committer: Committer
    links: Links
    documents: dict[str, bytes]
    secret_guard: bool
    limiter: LimiterClient | None


@dataclass(slots=True)
class Call:
    """One call, as far as it has been read.

    `caller` is set wherever the operation's effect needs a token, `agent` when its name is known; `address` is the
    window key of where the call comes from. `turn` is when the tail last caught up for it, `tags` what its answer was
    found to depend on.
    """

    operation: Operation
    request_id: int
    address: str = ""
    path: Any = None
    query: Any = None
    body: Any = None
    caller: Any = None
    agent: str | None = None
    key: str | None = None
    fingerprint: bytes | None = None
    turn: int | None = None
    tags: frozenset[str] | None = None

    @property
    def keyed(self) -> Keyed:
        """What makes this call repeatable."""
        return Keyed(uuid.UUID(int=self.request_id), self.key, self.fingerprint)

"""Counts posts of young accounts and registrations, and shows whether operators have frozen writing.

Every fan-out process counts all of them, so no process needs to know what another one has seen. A sum of their counts
has each post several times: take the greatest.
"""

from typing import Final

import asyncpg
from prometheus_client import Counter, Gauge

from services.board.database.failures import ABOUT_ROWS
from services.board.moderation.newcomers import count_newcomers
from services.process.metrics import Registry

from .worker import Work

POSTS: Final = 10_000
"""How many posts a step counts."""


class Newcomers:
    """Counts posts and registrations since this process started."""

    name = "newcomers"

    def __init__(self, registry: Registry) -> None:
        self.after: int | None = None  # the post up to which the log was read
        self.agents = 0
        self.posts = Counter(
            "agent_board_young_posts_total",
            "Posts of accounts younger than a day. Every fan-out process counts all of them.",
            registry=registry,
        )
        self.registrations = Counter(
            "agent_board_registrations_total",
            "Agents that were registered. Every fan-out process counts all of them.",
            registry=registry,
        )
        self.frozen = Gauge("agent_board_writing_frozen", "1 while operators have frozen writing.", registry=registry)

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Count the next posts, and the agents that were registered meanwhile."""
        after = self.after or 0
        found = await count_newcomers(connection, after, POSTS if self.after is not None else 0)
        self.frozen.set(found.frozen)
        # a restored database has fewer posts
        if self.after is None or found.last_id < self.after:
            self.after, self.agents = found.last_id, found.agents
            return Work.NONE
        self.posts.inc(found.posts)
        self.registrations.inc(max(0, found.agents - self.agents))
        self.after, self.agents = min(found.last_id, after + POSTS), found.agents
        return Work.MORE if self.after < found.last_id else Work.ALL if self.after > after else Work.NONE

    def failed(self, error: Exception) -> None:
        """Repeat the step, or go on at the newest post if these cannot be counted."""
        if isinstance(error, (asyncpg.QueryCanceledError, *ABOUT_ROWS)):
            self.after = None

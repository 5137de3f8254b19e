"""The search index as a consumer of the log: threads and open requests are found through it (architecture 7).

A search looks at the posts behind its cursor too: it may be late, and nothing is missed.
"""

import time
from typing import Final

import asyncpg

from services.board import search
from services.board.process.metrics import Registry

from .worker import Work

# hiding a thread waits for a step, and all publishing with it: a step takes some milliseconds, of the worst texts some
# hundred
POSTS: Final = 200
TEXT_BYTES: Final = 200_000


class SearchIndex:
    """Takes posts into the search index, and knows how far behind the log it is."""

    name = "search"

    def __init__(self, registry: Registry) -> None:
        self.posts = POSTS
        self.behind = 0
        self.oldest: float | None = None
        self.indexed = registry.count(
            "agent_board_search_posts_indexed_total", "Posts taken into the search index by this process."
        )
        self.steps = registry.count(
            "agent_board_search_steps_total",
            "Steps of the search index: indexed, idle (nothing to do), busy (another process was at it), failed.",
            ["outcome"],
        )
        self.seconds = registry.distribution(
            "agent_board_search_step_seconds", "How long the steps took that indexed something."
        )
        registry.reading(
            "agent_board_search_posts_behind", "Posts that the search index had not taken in.", lambda: self.behind
        )
        registry.reading(
            "agent_board_search_oldest_seconds",
            "Age of the oldest post that the search index had not taken in; 0 when there was none.",
            lambda: max(0.0, time.time() - self.oldest) if self.oldest is not None else 0,
        )

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Take in the next posts; those that came meanwhile are left to the next step, which takes more at a time."""
        began = time.perf_counter()
        done = await search.index_log(connection, self.posts, TEXT_BYTES)
        self.behind, self.oldest = done.behind, done.oldest
        if not done.indexed:
            self.steps.add("idle" if done.indexed == 0 else "busy")
            return Work.NONE
        self.seconds.observe(time.perf_counter() - began)
        self.steps.add("indexed")
        self.indexed.add(amount=done.indexed)
        self.posts = min(2 * self.posts, POSTS)
        return Work.MORE if done.behind >= done.indexed else Work.ALL

    def failed(self, error: Exception) -> None:
        """Try fewer posts when they took too long for one step."""
        self.steps.add("failed")
        if isinstance(error, asyncpg.QueryCanceledError):
            self.posts = max(1, self.posts // 2)

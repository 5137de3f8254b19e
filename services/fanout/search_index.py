"""Updates the search index as a consumer of the log (ARCHITECTURE.md, "The walk of a search").

The index may be late without missing anything, because a search also reads the posts after its cursor.
"""

import time
from typing import Final

import asyncpg
import structlog
from prometheus_client import Counter, Gauge

from services.board.database.failures import ABOUT_ROWS
from services.board.search import search
from services.process.metrics import Registry

from .worker import Work

# Hiding a thread waits for a step, and publishing waits for the hiding. A step takes a few milliseconds, or a few
# hundred with the worst texts.
POSTS: Final = 200
TEXT_BYTES: Final = 200_000

log = structlog.get_logger()


class SearchIndex:
    """Indexes posts, and measures how far the index is behind the log."""

    name = "search"

    def __init__(self, registry: Registry) -> None:
        self.posts = POSTS
        self.alone: int | None = None  # the cursor before a post that is taken by itself, after a failure
        self.unindexable = False  # whether that post failed by itself, too
        self.behind = 0
        self.oldest: float | None = None
        self.count_steps(registry)
        self.show_progress(registry)

    def count_steps(self, registry: Registry) -> None:
        """Register what this process has done."""
        self.indexed = Counter(
            "agent_board_search_posts_indexed_total", "Posts indexed by this process.", registry=registry
        )
        self.steps = Counter(
            "agent_board_search_steps_total",
            "Steps, by outcome: indexed, idle (nothing to do), busy (another process held the cursor), failed.",
            ["outcome"],
            registry=registry,
        )
        self.skipped = Counter(
            "agent_board_search_posts_skipped_total",
            "Posts that this process left out of the index, because PostgreSQL refused their documents.",
            registry=registry,
        )

    def show_progress(self, registry: Registry) -> None:
        """Register how far the index was behind the log after the last step."""
        Gauge(
            "agent_board_search_posts_behind", "Posts that were not yet indexed after the last step.", registry=registry
        ).set_function(lambda: self.behind)
        Gauge(
            "agent_board_search_oldest_seconds",
            "Age of the oldest post that was not yet indexed after the last step; 0 if there was none.",
            registry=registry,
        ).set_function(lambda: max(0.0, time.time() - self.oldest) if self.oldest is not None else 0)

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Index the next posts. Unless at least as many remain, rest first: a later step then takes more at a time."""
        if self.posts == 1:
            await self.take_alone(connection)
        done = await search.index_log(connection, self.posts, TEXT_BYTES)
        self.alone = None
        self.behind, self.oldest = done.behind, done.oldest
        if not done.indexed:
            self.steps.labels("idle" if done.indexed == 0 else "busy").inc()
            return Work.NONE
        self.steps.labels("indexed").inc()
        self.indexed.inc(done.indexed)
        self.posts = min(2 * self.posts, POSTS)
        return Work.MORE if done.behind >= done.indexed else Work.ALL

    async def take_alone(self, connection: asyncpg.Connection) -> None:
        """Note where the next post is, or skip it if it has failed by itself."""
        if self.unindexable and self.alone is not None:
            skipped = await search.skip_post(connection, self.alone)
            if skipped is not None:
                self.skipped.inc()
                log.error("post_not_indexed", post_id=skipped)
        self.unindexable = False
        self.alone = await search.find_cursor(connection)

    def failed(self, error: Exception) -> None:
        """After a timeout, take fewer posts in the next step; after an error about a row, one post."""
        self.steps.labels("failed").inc()
        if isinstance(error, ABOUT_ROWS):
            self.unindexable = self.alone is not None
            self.posts = 1
        if isinstance(error, asyncpg.QueryCanceledError):
            self.posts = max(1, self.posts // 2)

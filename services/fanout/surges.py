"""Counts what a wave of abuse consists of: posts of young accounts, repeated and alike texts, and registrations.

It also shows whether operators have frozen writing.

Every fan-out process reads all posts of the log and counts all of them, so no process needs to know what another one
has seen. A sum of their counts has each post several times, so take the greatest of them.
"""

from collections.abc import Sequence
from typing import Final

import asyncpg
from cachetools import LRUCache
from prometheus_client import Counter, Gauge

from services.board.database.failures import ABOUT_ROWS
from services.board.moderation import wordings
from services.board.moderation.wordings import Wording
from services.process.metrics import Registry

from .alike_posts import ALIKE_SECONDS, AlikePosts
from .worker import Work

POSTS: Final = 200
"""How many posts a step compares, in a fifth of a second if they are hostile."""
YOUNG_SECONDS: Final = 86_400.0
REPEATED_SECONDS: Final = 3_600.0
TEXTS_MAX: Final = 100_000
"""How many texts are remembered, in about 20 MB. A board with more new texts in an hour misses the oldest repeats."""


class Surges:
    """Counts posts and registrations since this process started; the hours before only fill its memory of texts."""

    name = "surges"

    def __init__(self, registry: Registry) -> None:
        self.texts: LRUCache[str, float] = LRUCache(TEXTS_MAX)  # the newest time of each text
        self.after: int | None = None  # the post up to which the log was read
        self.head = 0  # the newest post when this process began; later ones are counted
        self.agents = 0
        self.limit = POSTS
        self.posts = Counter(
            "agent_board_published_posts_total",
            "Posts, by the author's account (young: registered within a day before) and by text (repeated: another "
            "post within the hour before had the same words; alike: one of another author within three hours had "
            "nearly the same). Every fan-out process counts all posts.",
            ["account", "text"],
            registry=registry,
        )
        for account in ("young", "older"):
            for text in ("new", "repeated", "alike"):
                self.posts.labels(account, text)
        self.registrations = Counter(
            "agent_board_registrations_total",
            "Agents that were registered. Every fan-out process counts all of them.",
            registry=registry,
        )
        self.alike = AlikePosts()
        Gauge(
            "agent_board_alike_text_authors",
            "Authors who nearly repeated one text within ten minutes: the most of any text that is not usual.",
            registry=registry,
        ).set_function(self.alike.most_authors)
        self.frozen = Gauge("agent_board_writing_frozen", "1 while operators have frozen writing.", registry=registry)

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Count the next posts, and the agents that were registered meanwhile."""
        head, agents, frozen = await wordings.find_head(connection)
        self.frozen.set(frozen)
        # a restored database has fewer posts
        if self.after is None or head < self.after:
            self.after = await wordings.find_beginning(connection, ALIKE_SECONDS, head, TEXTS_MAX)
            self.head, self.agents = head, agents
        self.registrations.inc(max(0, agents - self.agents))
        self.agents = agents
        if head == self.after:
            return Work.NONE
        posts = await wordings.read_wordings(connection, self.after, self.limit, YOUNG_SECONDS)
        self.count(posts)
        # a restore leaves out ids, also the newest
        if len(posts) < self.limit:
            self.after = max(self.after, head)
        self.limit = min(2 * self.limit, POSTS)
        return Work.MORE if self.after < head else Work.ALL

    def count(self, posts: Sequence[Wording]) -> None:
        """Count posts by account and text, and remember their texts."""
        for post in posts:
            repeated, alike = self.is_repeated(post), self.alike.is_alike(post)
            if post.id > self.head:
                text = "repeated" if repeated else "alike" if alike else "new"
                self.posts.labels("young" if post.is_young else "older", text).inc()
            self.after = post.id

    def is_repeated(self, post: Wording) -> bool:
        """Return whether its words were published within the hour before, and remember them."""
        earlier = self.texts.get(post.words)
        self.texts[post.words] = post.at
        return earlier is not None and post.at - earlier <= REPEATED_SECONDS

    def failed(self, error: Exception) -> None:
        """Keep all: the next step begins where the last one ended. After a timeout, it reads fewer posts.

        After an error about a row it reads one post, and leaves that out if it fails by itself.
        """
        if isinstance(error, asyncpg.QueryCanceledError):
            self.limit = max(1, self.limit // 2)
        elif isinstance(error, ABOUT_ROWS) and self.after is not None:
            self.after += self.limit == 1
            self.limit = 1

"""A crowd of agents that post, follow, pause, resume and delete at random."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Self

import asyncpg

from services.board.moderation import operators
from tests.load import Member, enlist
from tests.operator import play
from tests.posts.locks import until

COMMUNITIES = ("general", "meta", "sql", "announcements")
TAGS = ("sql", "Query Plans", "ÄÖ", "c")
RECENT_THREADS = 12
SUBSCRIPTIONS_EACH = 4
SUBSCRIBE = "SELECT outcome, id FROM subscribe($1, $2, $3, 100)"
SET = "SELECT outcome FROM set_subscription($1, $2, $3)"
# the next states of a subscription in each state
NEXT = {"active": ["paused", "paused", "deleted"], "paused": ["active", "active", "deleted"]}

Connect = Callable[[], Awaitable[asyncpg.Connection]]


class Crowd:
    """Agents that act over a few connections until the block ends."""

    def __init__(self, connect: Connect, db: asyncpg.Connection, size: int, seed: int) -> None:
        self.connect = connect
        self.db = db
        self.size = size
        self.random = random.Random(seed)
        self.posted = 0
        self.changed = 0
        self.enough = asyncio.Event()
        self.threads: list[int] = []

    async def __aenter__(self) -> Self:
        self.members = await enlist(self.db, self.size)
        # the state of each subscription, by its agent
        self.followed: dict[Member, dict[int, str]] = {member: {} for member in self.members}
        self.operators = self.members[:5]
        for member in self.operators:
            await operators.mark(self.db, member.name, "olga")
        self.tasks = [asyncio.create_task(self.repeat(act)) for act in (self.post, self.post, self.follow)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.enough.set()
        await asyncio.gather(*self.tasks)

    async def repeat(self, act: Callable[[asyncpg.Connection], Awaitable[None]]) -> None:
        connection = await self.connect()
        while not self.enough.is_set():
            await act(connection)
        await connection.close()

    async def posts(self, count: int) -> None:
        """Return after this many posts and a tenth as many changes of subscriptions."""

        async def reached() -> bool:
            assert not any(task.done() for task in self.tasks), "a task of the crowd has ended"
            return self.posted >= count and self.changed >= count // 10

        await until(reached)

    async def post(self, db: asyncpg.Connection) -> None:
        """Publish a few posts in one batch."""
        members = self.random.sample(self.members, self.random.randint(1, 6))
        made = await play.publish(db, *[self.some_post(member) for member in members])
        assert all(outcome == "created" for outcome, _ in made), made
        self.posted += len(made)

    def some_post(self, member: Member) -> play.Post:
        if self.threads and self.random.random() < 0.5:
            return play.Post(member.token_hash, self.random.choice(self.threads))
        community = self.random.choice(COMMUNITIES if member in self.operators else COMMUNITIES[:-1])
        wanted = [self.random.choice((tag, tag.upper())) for tag in self.random.sample(TAGS, self.random.randint(0, 3))]
        return play.Post(member.token_hash, community=community, wanted=wanted)

    async def follow(self, db: asyncpg.Connection) -> None:
        """Subscribe, pause, resume or delete."""
        newest = await db.fetch("SELECT id FROM posts WHERE parent IS NULL ORDER BY id DESC LIMIT $1", RECENT_THREADS)
        self.threads = [row["id"] for row in newest]
        member = self.random.choice(self.members)
        if len(self.followed[member]) < SUBSCRIPTIONS_EACH or self.random.random() < 0.2:
            await self.subscribe(db, member)
        else:
            await self.alter(db, member)
        self.changed += 1

    async def subscribe(self, db: asyncpg.Connection, member: Member) -> None:
        kinds = [("community", self.random.choice(COMMUNITIES)), ("capability", self.random.choice(TAGS)),
                 ("announcements", "")]  # fmt: skip
        kinds += [("thread", str(self.random.choice(self.threads)))] if self.threads else []
        outcome, found = await db.fetchrow(SUBSCRIBE, member.token_hash, *self.random.choice(kinds))
        if outcome == "created":
            self.followed[member][found] = "active"

    async def alter(self, db: asyncpg.Connection, member: Member) -> None:
        followed = self.followed[member]
        subscription, was = self.random.choice([*followed.items()])
        state = self.random.choice(NEXT[was])
        assert await db.fetchval(SET, member.token_hash, subscription, state) == "changed"
        followed[subscription] = state
        if state == "deleted":
            del followed[subscription]

"""A crowd of agents that post, follow, pause, resume, delete and read at random, and record the answers."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

import asyncpg

from services.board.access.tokens import Caller
from services.board.database.failures import DATABASE_FAILURES, is_unavailable
from services.board.inbox import deliveries, inbox
from services.board.links import Links
from services.board.moderation import operators
from services.contract.requests.queries import InboxQuery
from tests.load import Member, caller_of, enlist
from tests.operator import play
from tests.posts.locks import until

COMMUNITIES = ("general", "meta", "sql", "announcements")
TAGS = ("sql", "Query Plans", "ÄÖ", "c")
RECENT_THREADS = 12
SUBSCRIPTIONS_EACH = 4
HEAD = "SELECT last_id FROM log_head"
SUBSCRIBE = "SELECT outcome, id FROM subscribe($1, $2, $3, 100)"
SET = "SELECT outcome FROM set_subscription($1, $2, $3)"
SPANS = "SELECT from_id, to_id FROM subscription_spans WHERE subscription_id = $1 ORDER BY from_id"
OPEN = 2**63 - 1

Connect = Callable[[], Awaitable[asyncpg.Connection]]


@dataclass
class Followed:
    """A subscription, and for each opening and closing of its spans the head of the log before and after."""

    id: int
    target: tuple[str, str]
    moments: list[tuple[int, int]] = field(default_factory=list)
    known: bool = True  # False once an answer was lost, which may have changed anything

    @property
    def active(self) -> bool:
        return len(self.moments) % 2 == 1


@dataclass
class Person:
    """A member of the crowd."""

    member: Member
    followed: list[Followed] = field(default_factory=list)
    read: list[int] = field(default_factory=list)

    @property
    def caller(self) -> Caller:
        return Caller(self.member.id, self.member.name, self.member.token_hash)


class Crowd:
    """Agents that act over a few connections until the block ends."""

    def __init__(self, connect: Connect, db: asyncpg.Connection, size: int = 200, seed: int = 0) -> None:
        self.connect = connect
        self.db = db
        self.size = size
        self.random = random.Random(seed)
        self.posted = 0
        self.changed = 0
        self.enough = asyncio.Event()
        self.threads: list[int] = []

    async def __aenter__(self) -> Self:
        self.people = [Person(member) for member in await enlist(self.db, self.size)]
        self.operators = self.people[:5]
        for person in self.operators:
            await operators.mark(self.db, person.member.name, "olga")
        actions = (self.post, self.post, self.follow, self.follow, self.look)
        self.tasks = [asyncio.create_task(self.repeat(action)) for action in actions]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.enough.set()
        await asyncio.gather(*self.tasks)

    async def repeat(self, action: Callable[[asyncpg.Connection], Awaitable[None]]) -> None:
        """Repeat an action, over a new connection if one breaks."""
        connection = None
        while not self.enough.is_set():
            try:
                connection = connection or await self.connect()
                await action(connection)
            except DATABASE_FAILURES as error:
                if not is_unavailable(error):
                    raise
                connection = connection and connection.terminate()
                await asyncio.sleep(0.05)
        if connection is not None:
            await connection.close()

    async def posts(self, count: int) -> None:
        """Return after this many further posts and a tenth as many changes of subscriptions."""
        goals = self.posted + count, self.changed + count // 10

        async def reached() -> bool:
            assert not any(task.done() for task in self.tasks), "a task of the crowd has ended"
            return self.posted >= goals[0] and self.changed >= goals[1]

        await until(reached)

    async def post(self, db: asyncpg.Connection) -> None:
        """Publish a few posts in one batch."""
        people = self.random.sample(self.people, self.random.randint(1, 6))
        made = await play.publish(db, *[self.some_post(person) for person in people])
        assert all(outcome == "created" for outcome, _ in made), made
        self.posted += len(made)

    def some_post(self, person: Person) -> play.Post:
        token = person.member.token_hash
        if self.threads and self.random.random() < 0.5:
            return play.Post(token, self.random.choice(self.threads))
        community = self.random.choice(COMMUNITIES if person in self.operators else COMMUNITIES[:-1])
        wanted = [self.random.choice((tag, tag.upper())) for tag in self.random.sample(TAGS, self.random.randint(0, 3))]
        return play.Post(token, community=community, wanted=wanted)

    async def follow(self, db: asyncpg.Connection) -> None:
        """Subscribe, pause, resume or delete."""
        newest = await db.fetch("SELECT id FROM posts WHERE parent IS NULL ORDER BY id DESC LIMIT $1", RECENT_THREADS)
        self.threads = [row["id"] for row in newest]
        person = self.random.choice(self.people)
        kept = [followed for followed in person.followed if followed.known]
        if len(kept) < SUBSCRIPTIONS_EACH or self.random.random() < 0.2:
            await self.subscribe(db, person)
        else:
            await self.alter(db, person, self.random.choice(kept))
        self.changed += 1

    async def subscribe(self, db: asyncpg.Connection, person: Person) -> None:
        kinds = [("community", self.random.choice(COMMUNITIES)), ("capability", self.random.choice(TAGS)),
                 ("announcements", "")]  # fmt: skip
        kinds += [("thread", str(self.random.choice(self.threads)))] if self.threads else []
        target = self.random.choice(kinds)
        before = await db.fetchval(HEAD)
        outcome, found = await db.fetchrow(SUBSCRIBE, person.member.token_hash, *target)
        if outcome == "created":
            person.followed.append(Followed(found, target, [(before, await db.fetchval(HEAD))]))

    async def alter(self, db: asyncpg.Connection, person: Person, followed: Followed) -> None:
        state = self.random.choice(
            ["paused", "paused", "deleted"] if followed.active else ["active", "active", "deleted"]
        )
        followed.known = False  # no other task should alter it meanwhile
        before = await db.fetchval(HEAD)
        outcome = await db.fetchval(SET, person.member.token_hash, followed.id, state)
        moment = before, await db.fetchval(HEAD)
        if state != "deleted" or followed.active:
            followed.moments.append(moment)
        followed.known = state != "deleted"
        assert outcome == "changed", outcome
        if state == "deleted":
            await self.check_spans(db, followed)

    async def check_spans(self, db: asyncpg.Connection, followed: Followed) -> None:
        """Fail unless each span was opened and closed between the request for it and the answer."""
        ends = [end for span in await db.fetch(SPANS, followed.id) for end in span if end != OPEN]
        moments = list(followed.moments)
        for end in ends:
            while not moments[0][0] <= end <= moments[0][1]:
                moments.pop(0)  # a span that contained no post is not kept
                assert moments, (followed, ends)
            moments.pop(0)

    async def look(self, db: asyncpg.Connection) -> None:
        """Have a random person read the next page of its inbox."""
        person = self.random.choice(self.people)
        await self.read_on(db, person, self.random.randint(1, 100))

    async def read_on(self, db: asyncpg.Connection, person: Person, limit: int) -> bool:
        after = person.read[-1] if person.read else 0
        query = InboxQuery(after=after, limit=limit)
        (rows,) = await inbox.read_inboxes(db, [(await caller_of(db, person.member.id), query)])
        assert rows is not None
        page = await inbox.list_inbox(db, rows, query, Links("http://board.test"))
        person.read += [event.id for event in page.items]
        return page.has_more

    async def check_readers(self, db: asyncpg.Connection, inboxes: Mapping[tuple[int, int], object]) -> None:
        """Fail unless each person, following its cursor, reads its whole inbox, each event once and in order."""
        mine: dict[int, list[int]] = {person.member.id: [] for person in self.people}
        for agent, event in sorted(inboxes):
            mine[agent].append(event)
        for person in self.people:
            while await self.read_on(db, person, 100):
                pass
            assert person.read == mine[person.member.id], person.member.name
            for followed in person.followed:
                if followed.known:
                    await self.check_spans(db, followed)


async def delivered_all(db: asyncpg.Connection) -> None:
    """Return when the workers have moved every partition past the newest post."""

    async def reached() -> bool:
        return all(position.age is None for position in await deliveries.find_positions(db))

    await until(reached)

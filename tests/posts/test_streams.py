"""A client that follows a cursor sees every post once and in order, despite concurrent writes and rollbacks."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published, together
from tests.processes import ApiProcess

MEMBERS_EACH, POSTS_EACH = 4, 10
LOG = "SELECT id, parent, reply_to, author_id, author, title, body FROM posts ORDER BY id"

# Some publishing transactions are rolled back at their commit, when everything is written.
ROLL_BACK = """
CREATE SEQUENCE publications;
CREATE FUNCTION roll_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('publications') % {every} = 0 THEN
        RAISE EXCEPTION 'rolled back on purpose' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER roll_back AFTER UPDATE ON log_head DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION roll_back();
"""


@dataclass
class Board:
    """Two processes on one board, and their answers."""

    clients: Sequence[Client]
    threads: list[int] = field(default_factory=list)
    replies: dict[int, list[int]] = field(default_factory=dict)
    answered: list[int] = field(default_factory=list)

    async def publish(self, random: Random, member: Member, thread: int | None) -> int:
        """Publish a thread, or a reply to a thread or to one of its replies, with as many attempts as it takes."""
        body: dict[str, Any] = {"body": f"By {member.name}: {random.random()}"}
        path = "/api/threads"
        if thread is None:
            body["title"] = body["body"]
        else:
            path += f"/{thread}/replies"
            body["reply_to"] = random.choice([None, *self.replies[thread][-3:]])
        key = str(random.random())
        status = 503
        while status == 503:
            # its transaction was rolled back: an agent would wait for the time in Retry-After
            client = random.choice(self.clients)
            answer = await client.call("POST", path, body, token=member.token, key=key)
            status = answer.status
        post = published(answer)
        self.answered.append(post)
        return post

    async def begin(self, random: Random, member: Member) -> None:
        """Publish a thread that many reply to."""
        thread = await self.publish(random, member, None)
        self.threads.append(thread)
        self.replies[thread] = []

    async def write(self, random: Random, members: Sequence[Member]) -> None:
        """Post as one member after the other, because each may post ten times."""
        for member in members:
            for _ in range(POSTS_EACH - 1):
                thread = random.choice([None, *random.sample(self.threads, 3)])
                post = await self.publish(random, member, thread)
                if thread is not None:
                    self.replies[thread].append(post)

    async def follow(
        self, random: Random, path: str, over: "asyncio.Task[Any]", token: str | None = None
    ) -> list[dict[str, Any]]:
        """Poll from the beginning until all writes are seen, and return every item."""
        seen: list[dict[str, Any]] = []
        cursor, last = 0, False
        while not last:
            no_more_writes, answered = over.done(), max(self.answered, default=0)
            query = f"{path}?after={cursor}&limit={random.randint(1, 100)}"
            page = (await random.choice(self.clients).get(query, token)).json
            ids = [item["id"] for item in page["items"]]
            if token is None:
                # it should miss none and repeat none, and once caught up have seen all that was answered before
                assert ids == list(range(cursor + 1, cursor + 1 + len(ids)))
                assert page["has_more"] or page["next_after"] >= answered
            assert page["next_after"] == (ids[-1] if ids else cursor)
            seen += page["items"]
            cursor = page["next_after"]
            last = no_more_writes and not page["has_more"]
        return seen


@pytest.fixture
async def board(start_patient_api: Callable[..., ApiProcess]) -> AsyncIterator[Board]:
    same = {"BASE_URL": "http://board.test"}
    first, second = start_patient_api(**same), start_patient_api(**same)
    async with Client(first.url) as a, Client(second.url) as b:
        yield Board((a, b))


def notifications(agent: int, log: dict[int, asyncpg.Record]) -> list[tuple[int, str]]:
    """Return the notifications that an agent must get, computed from the log."""
    found = []
    for post in log.values():
        if post["parent"] is not None and post["author_id"] != agent:
            if post["reply_to"] is not None and log[post["reply_to"]]["author_id"] == agent:
                found.append((post["id"], "reply_to_reply"))
            elif log[post["parent"]]["author_id"] == agent:
                found.append((post["id"], "reply_to_thread"))
    return found


def as_logged(item: dict[str, Any]) -> tuple[Any, ...]:
    return (item["id"], item["parent"], item["reply_to"], item["author"], item.get("title"), item["body"])


@pytest.mark.parametrize(
    ("writers_count", "pollers", "rolled_back_every"), [(6, 3, 10), pytest.param(20, 10, 50, marks=pytest.mark.slow)]
)
async def test_pollers_of_both_streams_see_exactly_the_log_while_it_is_written_and_rolled_back(
    board: Board, own_db: asyncpg.Connection, writers_count: int, pollers: int, rolled_back_every: int
) -> None:
    random = Random(20)
    writers = [await enlist(own_db, MEMBERS_EACH) for _ in range(writers_count)]
    polling = [members[0] for members in writers[:pollers]]
    await own_db.execute(ROLL_BACK.replace("{every}", str(rolled_back_every)))
    await together(board.begin(random, members[0]) for members in writers)
    writing = asyncio.create_task(together(board.write(random, members) for members in writers))
    followed = await together(
        [board.follow(random, "/api/activity", writing) for _ in range(pollers)]
        + [board.follow(random, "/api/notifications", writing, member.token) for member in polling]
    )
    await writing

    log = {row["id"]: row for row in await own_db.fetch(LOG)}
    # it should hold the posts that were answered, without a gap, although transactions were rolled back
    assert list(log) == sorted(board.answered) == list(range(1, len(log) + 1))
    assert len(log) == writers_count * (1 + MEMBERS_EACH * (POSTS_EACH - 1))
    assert await own_db.fetchval("SELECT last_value FROM publications") >= 2 * rolled_back_every
    # every poller should have seen exactly this log
    rows = [
        (row["id"], row["parent"], row["reply_to"], row["author"], row["title"], row["body"]) for row in log.values()
    ]
    for seen in followed[:pollers]:
        assert [as_logged(item) for item in seen] == rows
    # every agent should have received one notification of each reply to it, in order, and no others
    for member, seen in zip(polling, followed[pollers:], strict=True):
        expected = notifications(member.id, log)
        assert [(item["id"], item["kind"]) for item in seen] == expected
        assert len(expected) > POSTS_EACH

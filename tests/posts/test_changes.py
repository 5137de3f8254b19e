"""One row in `changes` for every durable change, dense and in commit order; the last 100,000 stay."""

from collections.abc import Callable
from typing import Any

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published
from tests.processes import ApiProcess

Clients = tuple[Client, Client]
KEPT = 100_000
NEWER = "SELECT seq, kind, thread_id, agent_id, community FROM changes WHERE seq > $1 ORDER BY seq"
Row = tuple[str, int | None, int | None, str | None]


class Changes:
    """Returns the changes that were appended since the last call."""

    def __init__(self, db: asyncpg.Connection) -> None:
        self.db = db
        self.last = 0

    async def since(self) -> list[Row]:
        rows = await self.db.fetch(NEWER, self.last)
        # they should be dense, and the head should have the last number
        assert [row["seq"] for row in rows] == list(range(self.last + 1, self.last + 1 + len(rows)))
        self.last += len(rows)
        assert await self.db.fetchval("SELECT last_seq FROM log_head") == self.last
        return [tuple(row)[1:] for row in rows]


@pytest.fixture
async def changes(own_db: asyncpg.Connection) -> Changes:
    return Changes(own_db)


async def test_every_kind_of_durable_change_over_http_has_its_row(
    start_api: Callable[..., ApiProcess], own_db: asyncpg.Connection, changes: Changes
) -> None:
    async with Client(start_api().url) as client:
        # the process has recorded its rates
        await changes.since()
        registered = await client.call("POST", "/api/agents/register", {"name": "alice"}, key="a-key-of-16-char")
        assert await changes.since() == [("registration", None, 1, None)]
        again = await client.call("POST", "/api/agents/register", {"name": "alice"}, key="a-key-of-16-char")
        assert await changes.since() == [("rotation", None, 1, None)]
        assert (registered.status, again.status) == (201, 201)
        alice = Member(1, "alice", again.json["token"])
        thread = published(await client.thread(alice, key="k", community="meta"))
        assert await changes.since() == [("post", thread, alice.id, "meta")]
        reply = published(await client.reply(alice, thread))
        assert await changes.since() == [("post", thread, alice.id, "meta")]
        (bob,) = await enlist(own_db, 1)
        await changes.since()
        await check_votes(client, changes, alice, bob, thread, reply)
        await client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=alice.token)
        assert await changes.since() == [("profile", None, alice.id, None)]
        await client.rotate(bob.token)
        assert await changes.since() == [("rotation", None, bob.id, None)]
        # it should append nothing for calls that change nothing
        await client.thread(alice, key="k", community="meta")
        await client.thread(alice, key="k")
        await client.reply(alice, 999)
        await client.vote(alice, 999, 1)
        await client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=alice.token)
        await client.rotate(bob.token)
        await client.call("POST", "/api/agents/register", {"name": "Alice"})
        assert await changes.since() == []


async def check_votes(client: Client, changes: Changes, alice: Member, bob: Member, thread: int, reply: int) -> None:
    """A vote's row names the author, whose score changes with it."""
    for post, value in ((thread, 1), (thread, -1), (reply, 1), (thread, 0)):
        assert (await client.vote(bob, post, value)).json["changed"]
        assert await changes.since() == [("vote", thread, alice.id, "meta")]
        assert not (await client.vote(bob, post, value)).json["changed"]
        assert await changes.since() == []


MODERATED = ("hide", "unhide", "suspension", "restoration")
PUBLISHED = ("moderation", None, None, None)


async def test_every_kind_of_operators_change_has_its_row(
    start_api: Callable[..., ApiProcess], own_db: asyncpg.Connection, changes: Changes
) -> None:
    alice, bob = await enlist(own_db, 2)
    async with Client(start_api().url) as client:
        thread = published(await client.thread(alice))
        published(await client.reply(bob, thread))
    await changes.since()
    both = [(thread, alice.id, "general"), (thread, bob.id, "general")]
    moves: list[tuple[str, list[Any]]] = [
        (f"set_hidden({thread}, true, 'tester', '')", [("hide", *who) for who in both]),
        (f"set_hidden({thread}, false, 'tester', '')", [("unhide", *who) for who in reversed(both)]),
        (f"moderate_agent('{bob.name}', 'suspend', 'tester', '')", [("suspension", None, bob.id, None)]),
        (f"moderate_agent('{bob.name}', 'restore', 'tester', '')", [("restoration", None, bob.id, None)]),
        (f"moderate_agent('{bob.name}', 'operator', 'tester', '')", [("operator", None, bob.id, None)]),
        ("describe_community('meta', 'New.', 'tester')", [("community", None, None, "meta")]),
    ]
    for call, expected in moves:
        await own_db.execute(f"SELECT {call}")
        found = await changes.since()
        # an action on a post or an agent should be published with it
        assert found.count(PUBLISHED) == (expected[0][0] in MODERATED), call
        assert [each for each in found if each != PUBLISHED] == expected, call
        # a repeated call should append nothing
        await own_db.execute(f"SELECT {call}")
        assert await changes.since() == [], call


async def change(clients: Clients, number: int, member: Member, thread: int) -> None:
    here, there = clients if number % 2 else clients[::-1]
    assert (await here.call("POST", "/api/agents/register", {"name": f"friend-of-{member.id}"})).status == 201
    published(await there.thread(member))
    published(await here.reply(member, thread))
    assert (await there.vote(member, thread, 1)).status == 200
    assert (await here.call("PATCH", "/api/agents/me", {"bio": "New."}, token=member.token)).status == 200
    assert (await there.rotate(member.token)).status == 200


async def fill(db: asyncpg.Connection, count: int) -> int:
    """Append this many changes or more, up to the last one before a full thousand; return its number."""
    first = await db.fetchval("SELECT last_seq FROM log_head") + 1
    last = int(first + count) // 1000 * 1000 + 999
    await db.execute("INSERT INTO changes SELECT seq, 'post' FROM generate_series($1::int, $2) AS seq", first, last)
    await db.execute("UPDATE log_head SET last_seq = $1", last)
    return last


async def test_the_last_100_000_changes_stay_whatever_appends_them(
    start_api: Callable[..., ApiProcess], own_db: asyncpg.Connection
) -> None:
    alice, bob = await enlist(own_db, 2)
    await fill(own_db, KEPT)
    async with Client(start_api().url) as client:
        thread = published(await client.thread(alice))
        for rows, change in (
            (1, lambda: client.thread(bob)),
            (1, lambda: client.vote(bob, thread, 1)),
            (1, lambda: client.call("POST", "/api/agents/register", {"name": "carol"})),
            (1, lambda: client.call("PATCH", "/api/agents/me", {"bio": "New."}, token=bob.token)),
            (1, lambda: client.rotate(bob.token)),
            # the action itself, and its publication
            (2, lambda: own_db.execute(f"SELECT set_hidden({thread}, true, 'tester', '')")),
        ):
            last = await fill(own_db, 1000)
            answer = await change()
            assert isinstance(answer, str) or answer.status in (200, 201)
            # seq is unique, so that its extremes show a gap
            count, oldest, newest = await own_db.fetchrow("SELECT count(*), min(seq), max(seq) FROM changes")
            # it should keep the newest without a gap, and at most 1,000 more
            assert (count, newest) == (newest - oldest + 1, last + rows)
            assert KEPT <= count <= KEPT + 1000

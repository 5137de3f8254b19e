"""Ids are dense and in commit order, so that a reader of `id > cursor` misses nothing."""

import asyncio
import itertools

import asyncpg

from tests.load import Client, Member, enlist, published, together
from tests.posts.conftest import connect

AGENTS, POSTS_EACH = 100, 10
NEWER = "SELECT id, created FROM posts WHERE id > $1 ORDER BY id"


async def follow(url: str, cursor: int, last: "asyncio.Task[list[list[int]]]") -> list[asyncpg.Record]:
    """Return all that a poller sees, in order, including one more poll after the last write."""
    connection = await connect(url)
    seen: list[asyncpg.Record] = []
    over = False
    while not over:
        over = last.done()
        seen += await connection.fetch(NEWER, cursor)
        cursor = seen[-1]["id"] if seen else cursor
    await connection.close()
    return seen


async def write(client: Client, member: Member, thread: int) -> list[int]:
    """Publish threads and replies alternately; return their ids."""
    return [
        published(await (client.reply(member, thread) if number % 2 else client.thread(member)))
        for number in range(POSTS_EACH)
    ]


async def test_a_poller_sees_every_post_once_and_in_order_while_two_processes_write(
    clients: tuple[Client, Client], db: asyncpg.Connection, board_url: str
) -> None:
    first, *members = await enlist(db, AGENTS + 1)
    thread = published(await clients[0].thread(first))
    writes = asyncio.create_task(
        together(write(clients[number % 2], member, thread) for number, member in enumerate(members))
    )
    seen = await follow(board_url, thread, writes)

    # it should miss none, repeat none and see them in order
    assert [row["id"] for row in seen] == list(range(thread + 1, thread + 1 + AGENTS * POSTS_EACH))
    # it should see exactly what was answered
    assert {row["id"] for row in seen} == {post for posts in await writes for post in posts}
    # it should see times that rise with the ids
    times = [row["created"] for row in seen]
    assert all(earlier < later for earlier, later in itertools.pairwise(times))

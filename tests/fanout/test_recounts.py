"""The fan-out completes what an operator's command on a long thread has left (interface 7.6)."""

from collections.abc import Callable

import asyncpg

from tests.operator import play
from tests.posts.locks import until
from tests.processes import FanoutProcess

HIDE_OR_SHOW = "SELECT set_hidden($1, $2, 'olga', 'A reason.', 1)"


async def test_a_thread_is_hidden_and_shown_to_its_last_reply(
    db: asyncpg.Connection, start_fanout: Callable[..., FanoutProcess]
) -> None:
    authors = [await play.register(db, name) for name in ("alice", "bob", "carol")]
    thread = await play.published(db, play.Post(authors[0]))
    await play.publish(db, *[play.Post(author, thread) for author in authors])

    async def recounted() -> bool:
        return not await db.fetchval("SELECT EXISTS (SELECT FROM recounts)")

    start_fanout()
    for hidden, outcome, visible in ((True, "changed", 0), (False, "pending", 4)):
        assert await db.fetchval(HIDE_OR_SHOW, thread, hidden) == outcome
        await until(recounted)
        assert await db.fetchval("SELECT count(*) FROM posts WHERE visible") == visible
        assert await play.wrong_tallies(db) == []

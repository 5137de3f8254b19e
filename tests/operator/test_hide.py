"""agent-board hide and unhide (interface 7.6)."""

import asyncpg

from tests.operator import play
from tests.operator.conftest import Cast, Command


async def thread_of_three(board: asyncpg.Connection, cast: Cast) -> tuple[int, int, int]:
    """A thread by alice with replies by bob and by carol."""
    thread = await play.published(board, play.Post(cast.alice, community="meta"))
    first = await play.published(board, play.Post(cast.bob, thread))
    return thread, first, await play.published(board, play.Post(cast.carol, thread))


async def visible(board: asyncpg.Connection) -> list[int]:
    return [row["id"] for row in await board.fetch("SELECT id FROM posts WHERE visible ORDER BY id")]


async def test_a_hidden_thread_takes_its_replies_out_of_sight(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    thread, *_ = await thread_of_three(board, cast)
    await command("hide", str(thread), "--reason", "Off topic.")
    assert await visible(board) == []
    # it should be not_found for every call of the board
    assert await play.publish(board, play.Post(cast.carol, thread)) == [("not_found", None)]
    assert await play.vote(board, cast.carol, thread, 1) == "not_found"
    # it should not be a shadow ban: the author can read the reason
    assert tuple(await board.fetchrow("SELECT who, action, subject, reason FROM audit")) == (
        "olga", "hide", str(thread), "Off topic.",
    )  # fmt: skip

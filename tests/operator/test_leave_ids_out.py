"""A restored board goes on without an id, a word or a number of its stream that was there before."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.moderation import erasure, hiding, restore_points
from services.board.moderation.restore_points import LOST_IDS_MAX, Point, continue_restored, find_point
from services.local.postgresql import PostgreSQL
from tests.databases import create_database
from tests.operations.hand import deliver_all
from tests.operator import play
from tests.operator.conftest import Command

REASON = "At the author's request."
STATE = """
SELECT (SELECT array_agg(id) FROM posts WHERE body = ''), (SELECT array_agg(name ORDER BY id) FROM agents),
    (SELECT array_agg(DISTINCT author) FROM posts)
"""


@pytest.fixture
async def backup(database: str, postgresql: PostgreSQL) -> str:
    """The backup of a board with three posts, one of them hidden, of which two will be erased."""
    connection = await writing_connection(database)
    mallory, bob = [await play.register(connection, name) for name in ("mallory", "bob")]
    for token in (mallory, bob, bob):
        await play.published(connection, play.Post(token))
    await hiding.hide(connection, 2, REASON, "olga")
    await connection.close()
    name = urlsplit(database).path[1:]
    return await asyncio.to_thread(create_database, postgresql, f"{name}_backup", name)


async def erase(url: str) -> tuple[tuple[Any, ...], Point]:
    """Erase posts 2 and 3 and the agent mallory; return what the board has then, and its restore point."""
    connection = await writing_connection(url)
    for post in (2, 3):
        await erasure.erase_post(connection, post, REASON, "olga", "illegal")
    _, agent, name = await erasure.erase_agent(connection, "mallory", REASON, "olga", "other")
    async for _ in erasure.rename_posts(connection, agent, name):
        pass
    state, point = tuple(await connection.fetchrow(STATE)), await find_point(connection)
    await connection.close()
    return state, point


async def test_what_was_erased_is_erased_in_a_restored_backup(database: str, backup: str) -> None:
    expected, point = await erase(database)
    connection = await asyncpg.connect(backup)
    await continue_restored(connection, "olga", [point])
    assert tuple(await connection.fetchrow(STATE)) == expected == ([2, 3], ["erased-1", "bob"], ["bob", "erased-1"])
    # it should publish it under numbers that the board has not given out
    numbers = [row[0] for row in await connection.fetch("SELECT id FROM moderation ORDER BY id")]
    assert numbers == [1, *range(point.actions + 1, point.actions + len(numbers))]
    # a second time there should be nothing to do
    await continue_restored(connection, "olga", [point])
    assert await connection.fetchval("SELECT count(*) FROM moderation") == len(numbers)
    await connection.close()


async def test_another_board_keeps_its_posts(database: str, backup: str) -> None:
    _, point = await erase(database)
    other = Point("another", 7, point.actions, point.posts, point.agents)
    connection = await asyncpg.connect(backup)
    assert await continue_restored(connection, "olga", [other]) == 3 + LOST_IDS_MAX
    assert tuple(await connection.fetchrow(STATE)) == (None, ["mallory", "bob"], ["bob", "mallory"])
    await connection.close()


@pytest.mark.parametrize(("newest", "last"), [(7, 7), (3, 3), (None, 3 + LOST_IDS_MAX), (2, 3 + LOST_IDS_MAX)])
def test_the_next_id_is_one_that_was_never_given_out(newest: int | None, last: int) -> None:
    assert restore_points.last_given(3, newest) == last


async def test_the_next_post_of_a_restored_board_gets_an_id_that_was_never_given_out(
    database: str, backup: str
) -> None:
    _, point = await erase(database)
    status, said, _ = await Command(database)("restore-point")
    assert (status, json.loads(said)["newest"]) == (0, point.newest) == (0, 3)
    assert "mallory" not in said
    lost = said.replace('"newest":3', '"newest":7')
    restored, connection = Command(backup), await writing_connection(backup)
    assert await restored("leave-ids-out", "--point", stdin=lost) == (0, "The next post gets the id 8.\n", "")
    assert await play.published(connection, play.Post(await play.register(connection, "carol"))) == 8
    await deliver_all(connection)
    status, said, error = await restored("verify")
    assert (status, error) == (0, ""), error
    await connection.close()

"""On a small board, too, a dashboard looks the threads that match up by their ids: PostgreSQL would rather read all."""

import asyncpg

from services.board.overview.recommendations import MATCHING
from services.contract.bounds import HOME_RECOMMENDED
from tests.database.large_board import Size, make_board
from tests.database.plans import pages_read

BOARD = Size(posts=1_000, agents=100, replies=250, communities=20)
# The index of requests, the look-ups, and room.
PAGES = 60


async def test_matching_threads_are_looked_up(database: str) -> None:
    connection = await asyncpg.connect(database)
    await make_board(connection, BOARD)
    statement = MATCHING.replace("$1", "3")
    assert len(await connection.fetch(statement)) == HOME_RECOMMENDED
    assert await pages_read(connection, statement) <= PAGES
    await connection.close()

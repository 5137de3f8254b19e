"""The rate of announcements (interface 6.1, 14.1)."""

import asyncpg

from services.board.access.rates import record_rates
from services.contract.limits import LIMITS, Rate
from tests.operator.conftest import Cast, Command


async def record(board: asyncpg.Connection, posts: Rate) -> None:
    """Record the rates of the settings, as an API process does when it starts."""
    await record_rates(board, {limit.name: limit.rate for limit in LIMITS} | {"posts": posts})


async def test_announcements_obey_the_rate_of_the_board(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await command("operator", "alice")
    await record(board, Rate(3, 60))
    # whatever the shell of the operator exports
    command.env["LIMIT_POSTS"] = "100/1"
    for number in range(3):
        assert (await command("announce", "alice", "News", "A body."))[1] == f"Published as thread {number + 1}.\n"
    status, _, error = await command("announce", "alice", "News", "A body.")
    assert status == 1
    assert error.startswith(
        "alice has published 3 posts in the last 60 seconds, including announcements; try again in "
    )
    await command("limits", "set", "posts", "4/60")
    assert (await command("announce", "alice", "News", "A body."))[1] == "Published as thread 4.\n"

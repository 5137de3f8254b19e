"""agent-board suspend and restore (interface 14.1)."""

import asyncpg

from tests.operator import play
from tests.operator.conftest import Cast, Command

STATE = "SELECT suspended_at IS NOT NULL, suspend_reason FROM agents WHERE name = 'Bob'"
FOLLOWING = (
    "subscribe($1, 'announcements', '', 100)", "set_subscription($1, 1, 'paused')", "acknowledge($1, 1, NULL, 1, 1)",
)  # fmt: skip
BOARD = "SELECT community_agents, contributors, operator_accounts FROM log_head"


async def test_a_suspended_agent_writes_nothing_and_its_posts_stay(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    thread = await play.published(board, play.Post(cast.bob))
    await command("suspend", "bOB", "--reason", "Floods.")
    assert await play.publish(board, play.Post(cast.bob)) == [("unauthorized", None)]
    assert await play.vote(board, cast.bob, thread, 1) == "unauthorized"
    for call in FOLLOWING:
        assert await board.fetchval(f"SELECT outcome FROM {call}", cast.bob) == "unauthorized"
    assert await board.fetchval("SELECT visible FROM posts WHERE id = $1", thread)
    assert tuple(await board.fetchrow(STATE)) == (True, "Floods.")
    # it should no longer count among the community's agents
    assert tuple(await board.fetchrow(BOARD)) == (2, 0, 0)

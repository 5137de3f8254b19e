"""agent-board suspend and restore (interface 14.1)."""

import asyncpg
import pytest

from tests.operator import play
from tests.operator.conftest import Cast, Command

STATE = "SELECT suspended_at IS NOT NULL, suspend_reason FROM agents WHERE name = 'Bob'"
FOLLOWING = (
    "subscribe($1, 'announcements', '', 100)", "set_subscription($1, 1, 'paused')", "acknowledge($1, 1)",
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


async def test_a_second_time_there_is_nothing_to_do(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    await command("restore", "Bob")
    for reason in ("Floods.", "Another reason."):
        await command("suspend", "Bob", "--reason", reason)
    assert tuple(await board.fetchrow(STATE)) == (True, "Floods.")
    assert [tuple(row) for row in await board.fetch("SELECT who, action, subject, reason FROM audit")] == [
        ("olga", "suspend", "Bob", "Floods.")
    ]
    kinds = "SELECT string_agg(kind || agent_id, ' ' ORDER BY seq) FROM changes WHERE kind <> 'registration'"
    assert await board.fetchval(kinds) == "suspension2"


@pytest.mark.parametrize("name", ["\ud800", "a\nb", "a\x00b"])
async def test_a_name_that_no_agent_can_have_is_one_sentence(idle_command: Command, name: str) -> None:
    for command in (["suspend"], ["restore"], ["operator"], ["show", "agent"], ["token", "--reason", "Proved."]):
        assert await idle_command(*command, name) == (1, "", "There is no agent with this name.\n")

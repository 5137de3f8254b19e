"""agent-board operator and announce (interface 12.2, 14)."""

import asyncpg

from services.board.access.tokens import new_token
from tests.operator.conftest import Cast, Command


async def test_an_announcement_is_a_thread_in_announcements(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await command("operator", "alice")
    await command("announce", "Alice", "News", "First line.\nSecond line.")
    thread = await board.fetchrow("SELECT author, community, title, body, visible FROM posts WHERE id = 1")
    assert tuple(thread) == ("alice", "announcements", "News", "First line.\nSecond line.", True)
    assert await board.fetchval("SELECT kind FROM changes ORDER BY seq DESC LIMIT 1") == "post"
    entry = await board.fetchrow("SELECT who, action, subject, reason FROM audit ORDER BY id DESC LIMIT 1")
    assert tuple(entry) == ("olga", "announce", "alice", "thread 1")


async def test_a_token_is_not_announced(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    await command("operator", "alice")
    status, output, error = await command("announce", "alice", "News", f"Use {new_token()}.")
    assert (status, output) == (1, "")
    assert "credential" in error
    assert "agb_" not in error

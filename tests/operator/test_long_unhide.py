"""agent-board unhide of a thread with many replies, which takes several steps (interface 7.6)."""

from typing import Any

import asyncpg
import pytest

from services.board.moderation import hiding
from tests.operator import play
from tests.operator.conftest import Cast, Command


@pytest.fixture
async def thread(board: asyncpg.Connection, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> int:
    """A hidden thread with replies, of which a step counts one."""
    thread = await play.published(board, play.Post(cast.alice))
    for author in (cast.bob, cast.carol, cast.bob):
        await play.published(board, play.Post(author, thread))
    await hiding.hide(board, thread, "A reason.", "olga")
    monkeypatch.setattr(hiding, "REPLIES_PER_STEP", 1)
    return thread


@pytest.mark.parametrize("by", ["the command", "the fan-out"])
async def test_a_failure_on_the_way_does_not_claim_that_nothing_was_changed(
    by: str, board: asyncpg.Connection, thread: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch, steps = asyncpg.Connection.fetchval, list[Any]()

    async def failing(connection: Any, query: str, *args: Any, **more: Any) -> Any:
        if query == hiding.SET_HIDDEN:
            steps.append(args)
            if len(steps) == 3:
                raise asyncpg.LockNotAvailableError("too busy")
        return await fetch(connection, query, *args, **more)

    with monkeypatch.context() as patched:
        patched.setattr(asyncpg.Connection, "fetchval", failing)
        status, output, error = await command("unhide", str(thread))
    assert (status, output) == (3, "")
    assert error.startswith(f"Thread {thread} is not shown yet: the database failed (LockNotAvailableError)")
    if by == "the command":
        assert (await command("unhide", str(thread)))[0] == 0
    else:
        while await hiding.recount(board):
            pass
    assert await board.fetchval("SELECT visible FROM posts WHERE id = $1", thread) is True

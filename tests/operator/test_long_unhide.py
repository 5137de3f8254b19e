"""Showing a long thread again reports how far it is, and can be interrupted and continued (interface 7.6)."""

import asyncio

import asyncpg
import pytest

from services.board.moderation import hiding
from services.operator import orders, recounting
from services.operator.orders import Order
from tests.operator import play
from tests.operator.conftest import Cast, Command


@pytest.fixture
async def thread(board: asyncpg.Connection, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> int:
    """A hidden thread of five replies, each of which is a step and a report."""
    thread = await play.published(board, play.Post(cast.alice))
    for author in (cast.bob, cast.carol, cast.bob, cast.carol, cast.bob):
        await play.published(board, play.Post(author, thread))
    await hiding.hide(board, thread, "A reason.", "olga")
    monkeypatch.setattr(hiding, "REPLIES_PER_STEP", 1)
    monkeypatch.setattr(recounting, "REPORT_SECONDS", 0.0)
    return thread


async def is_shown(board: asyncpg.Connection, thread: int) -> bool:
    return bool(await board.fetchval("SELECT visible FROM posts WHERE id = $1", thread))


async def test_the_command_reports_how_far_it_is(board: asyncpg.Connection, thread: int, command: Command) -> None:
    status, output, reported = await command("unhide", str(thread))
    assert (status, output) == (0, f"Post {thread} is now not hidden.\n")
    first, *later = reported.splitlines()
    assert first == f"Replies to count before thread {thread} appears: 4."
    assert later == [f"Thread {thread}: {done} of 4 replies are counted." for done in (1, 2, 3, 4)]
    assert await is_shown(board, thread)


async def test_a_post_that_is_shown_at_once_reports_nothing(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    thread = await play.published(board, play.Post(cast.alice))
    await hiding.hide(board, thread, "A reason.", "olga")
    assert await command("unhide", str(thread)) == (0, f"Post {thread} is now not hidden.\n", "")


@pytest.mark.parametrize("by", ["the command", "the fan-out"])
async def test_an_interrupted_command_tells_where_it_stopped_and_is_continued(
    by: str, board: asyncpg.Connection, thread: int, command: Command, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    steps = 0

    async def interrupted(report: recounting.Recounting) -> None:
        nonlocal steps
        await reporting(report)
        steps += 1
        if steps == 3:
            raise asyncio.CancelledError  # as Ctrl-C does between two steps

    reporting = recounting.Recounting.__call__
    monkeypatch.setattr(recounting.Recounting, "__call__", interrupted)
    with pytest.raises(asyncio.CancelledError):
        await orders.execute(board, Order("unhide", post=thread), "olga", "b")
    monkeypatch.setattr(recounting.Recounting, "__call__", reporting)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"Interrupted. Thread {thread}: 2 of 4 replies are counted. {recounting.GO_ON}"
    assert not await is_shown(board, thread)
    if by == "the command":
        status, _, reported = await command("unhide", str(thread))
        assert (status, reported.splitlines()[0]) == (0, f"Replies to count before thread {thread} appears: 1.")
    else:
        while await hiding.recount(board):
            pass
    assert await is_shown(board, thread)


async def test_a_failure_on_the_way_does_not_claim_that_nothing_was_changed(
    board: asyncpg.Connection, thread: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(report: recounting.Recounting) -> None:
        await reporting(report)
        raise asyncpg.LockNotAvailableError("too busy")

    reporting = recounting.Recounting.__call__
    with monkeypatch.context() as patched:
        patched.setattr(recounting.Recounting, "__call__", failing)
        status, output, reported = await command("unhide", str(thread))
    assert (status, output) == (1, "")
    assert "0 of 4 replies are counted" in reported
    assert "nothing was changed" not in reported
    assert (await command("unhide", str(thread)))[0] == 0

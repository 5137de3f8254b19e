"""agent-board suspend --for: suspensions that end by themselves (interface 14.1)."""

import asyncio

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.moderation import suspensions
from services.operator.moments import stamp
from tests.operator import play
from tests.operator.conftest import Cast, Command
from tests.operator.test_many import batch_of

BOB = "SELECT suspended_until - suspended_at, suspend_reason FROM agents WHERE name = 'Bob'"
IS_SUSPENDED = "SELECT suspended_at IS NOT NULL FROM agents WHERE name = $1"
RESTORED = "SELECT count(*) FROM audit WHERE who = 'the board' AND action = 'restore'"
DUE = "UPDATE agents SET suspended_until = clock_timestamp() WHERE suspended_until IS NOT NULL"
SPAM = "Spam."


async def test_it_has_an_end_that_a_repeat_does_not_move(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    status, output, _ = await command("suspend", "bOB", "--for", "7d", "--reason", "Floods.")
    end = stamp(await board.fetchval("SELECT suspended_until FROM agents WHERE name = 'Bob'"))
    assert (status, output) == (0, f"Bob is now suspended until {end}.\n")
    (audited,) = await board.fetch("SELECT until, reason FROM audit")
    assert (stamp(audited["until"]), audited["reason"]) == (end, "Floods.")
    for period in ("7d", "1w", "1h"):
        again = await command("suspend", "Bob", "--for", period, "--reason", "Another.")
        assert again == (0, f"Bob is already suspended until {end}.\n", "")
    row = await board.fetchrow(BOB)
    assert (row[0].days, row[0].seconds, row[1]) == (7, 0, "Floods.")


@pytest.mark.parametrize("more", [["--for", "8d"], []])
async def test_a_longer_one_extends_it_and_undo_returns_to_it(
    board: asyncpg.Connection, cast: Cast, command: Command, more: list[str]
) -> None:
    await command("suspend", "Bob", "--for", "7d", "--reason", "Floods.")
    end = await board.fetchval("SELECT suspended_until FROM agents WHERE name = 'Bob'")
    batch = batch_of((await command("suspend", "alice", "Bob", "carol", *more, "--reason", SPAM))[1])
    lasts, reason = await board.fetchrow(BOB)
    assert (lasts and lasts.days, reason) == (8 if more else None, SPAM)
    # another that ends sooner shortens nothing
    assert (await command("suspend", "Bob", "--for", "1h", "--reason", "Sooner."))[1].startswith("Bob is already ")
    status, output, error = await command("undo", batch)
    assert (status, error, "3 changed." in output) == (0, "", True)
    assert [await board.fetchval(IS_SUSPENDED, name) for name in ("alice", "Bob", "carol")] == [False, True, False]
    again = await board.fetchrow("SELECT suspended_until, suspend_reason FROM agents WHERE name = 'Bob'")
    assert (again[0], again[1]) == (pytest.approx(end, abs=2), "Floods.")


async def test_the_time_counts_from_the_command(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    """An agent whose suspension is nearly over would return in the middle of the next one."""
    await command("suspend", "Bob", "--for", "7d", "--reason", "Floods.")
    earlier = "UPDATE agents SET suspended_at = suspended_at - $1 * interval '1 h', suspended_until = suspended_until"
    await board.execute(f"{earlier} - $1 * interval '1 h'", 6)
    assert (await command("suspend", "Bob", "--for", "7d"))[1].startswith("Bob is already suspended until ")
    await board.execute(f"{earlier} - $1 * interval '1 h'", 138)
    assert (await command("suspend", "Bob", "--for", "7d"))[1].startswith("Bob is now suspended until ")
    left = await board.fetchval("SELECT suspended_until - now() FROM agents WHERE name = 'Bob'")
    assert 6.9 < left.total_seconds() / 86_400 < 7
    # without another reason it keeps its own
    assert (await board.fetchrow(BOB))[1] == "Floods."


async def test_processes_that_race_restore_each_agent_once(board: asyncpg.Connection, board_url: str) -> None:
    agents = 3 * suspensions.AGENTS_PER_STEP
    for number in range(agents):
        await play.register(board, f"agent-{number}")
        await suspensions.suspend(board, f"agent-{number}", SPAM, "olga", seconds=3600)
    await board.execute(DUE)
    others = [await writing_connection(board_url) for _ in range(4)]
    try:
        steps = await asyncio.gather(*[suspensions.restore_due(other) for other in others])
    finally:
        await asyncio.gather(*[other.close() for other in others])
    # three steps take all of them, each a bounded number, and the fourth finds none
    assert sorted(steps) == [0, *[suspensions.AGENTS_PER_STEP] * 3]
    assert await board.fetchval(RESTORED) == agents


async def test_undo_restores_and_suspends_again_for_the_rest(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    batch = batch_of((await command("suspend", "Bob", "carol", "--for", "7d", "--reason", SPAM))[1])
    ends = await board.fetch("SELECT name, suspended_until FROM agents WHERE suspended_until IS NOT NULL ORDER BY id")
    batch = batch_of((await command("restore", "Bob", "carol"))[1])
    await command("undo", batch)
    again = await board.fetch("SELECT name, suspended_until FROM agents WHERE suspended_until IS NOT NULL ORDER BY id")
    assert [row["name"] for row in again] == ["Bob", "carol"]
    assert [row["suspended_until"] for row in again] == pytest.approx([row["suspended_until"] for row in ends], abs=2)
    assert (await board.fetchrow(BOB))[1] == SPAM
    # a suspension that would be over is not begun again
    batch = batch_of((await command("restore", "Bob", "carol"))[1])
    await board.execute("UPDATE audit SET until = clock_timestamp() WHERE action = 'suspend'")
    assert (await command("undo", batch))[0] == 1
    assert not await board.fetchval(IS_SUSPENDED, "Bob")

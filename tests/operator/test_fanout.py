"""agent-board fanout redeliver: missing events (ARCHITECTURE.md, "The walk of an event")."""

import asyncpg
import pytest

from tests.operations.hand import deliver_all
from tests.operator import play
from tests.operator.conftest import Cast, Command, follow

SET = "SELECT outcome FROM set_subscription($1, $2, $3)"
INBOX = "SELECT agent_id, event_id, kind, subscription_ids FROM inbox ORDER BY 1, 2"
ACKNOWLEDGED = "SELECT event_id FROM inbox WHERE agent_id = 2 AND acked_at IS NOT NULL ORDER BY 1"
AUDIT = "SELECT who, action, subject, reason FROM audit ORDER BY id"


@pytest.fixture
async def delivered(board: asyncpg.Connection, cast: Cast) -> list[tuple[int, ...]]:
    """The inboxes after three posts by alice, followed by bob (through two subscriptions), carol and alice herself."""
    await follow(board, cast)
    for wanted in ((), ("SQL",), ()):
        await play.published(board, play.Post(cast.alice, community="meta", wanted=wanted))
    await deliver_all(board)
    return await inboxes(board)


async def inboxes(board: asyncpg.Connection) -> list[tuple[int, ...]]:
    return [tuple(row) for row in await board.fetch(INBOX)]


async def test_what_is_lacking_is_delivered_again_and_nothing_is_doubled(
    board: asyncpg.Connection, delivered: list[tuple[int, ...]], command: Command
) -> None:
    assert len(delivered) == 6
    assert await command("fanout", "redeliver", "1", "3") == (0, "No events were missing.\n", "")
    await board.execute("DELETE FROM inbox WHERE event_id = 2 OR agent_id = 3")
    # it should not go beyond the interval
    assert await command("fanout", "redeliver", "1", "2") == (
        0,
        "Missing events delivered: 3.\n",
        "",
    )
    assert await inboxes(board) == [row for row in delivered if row[:2] != (3, 3)]
    assert await command("fanout", "redeliver", "3", "9007199254740991") == (
        0, "Missing events delivered: 1.\n", "",
    )  # fmt: skip
    assert await inboxes(board) == delivered
    # it should write one audit row for each call that delivered something
    assert [tuple(row) for row in await board.fetch(AUDIT)] == [
        ("olga", "fanout redeliver", "1 2", "partition 0, events: 3"),
        ("olga", "fanout redeliver", "3 3", "partition 0, events: 1"),
    ]


async def test_what_was_followed_then_is_delivered_again_whatever_has_become_of_it(
    board: asyncpg.Connection, delivered: list[tuple[int, ...]], cast: Cast, command: Command
) -> None:
    for token, subscription, state in ((cast.bob, 1, "paused"), (cast.carol, 2, "deleted"), (cast.bob, 3, "deleted")):
        assert await board.fetchval(SET, token, subscription, state) == "changed"
    await command("hide", "2", "--reason", "Off topic.")
    await board.execute("DELETE FROM inbox")
    assert (await command("fanout", "redeliver", "1", "3"))[1].endswith("delivered: 6.\n")
    assert await inboxes(board) == delivered


async def test_what_the_fanout_has_not_passed_is_left_to_it(
    board: asyncpg.Connection, delivered: list[tuple[int, ...]], cast: Cast, command: Command
) -> None:
    await play.published(board, play.Post(cast.alice, community="meta"))
    assert await command("fanout", "redeliver", "1", "100") == (0, "No events were missing.\n", "")
    # it should be ensured by the SQL function itself, since the fan-out runs meanwhile
    assert await board.fetchval("SELECT redeliver(0::smallint, 1, 100, 100, 'olga')") == 0
    await deliver_all(board)
    assert len(await inboxes(board)) == 8


async def test_what_is_delivered_again_is_not_acknowledged_whatever_was_before(
    board: asyncpg.Connection, delivered: list[tuple[int, ...]], cast: Cast, command: Command
) -> None:
    await board.fetch("SELECT acknowledge($1::bytea, 3, NULL, 3, 0)", cast.bob)
    await board.execute("DELETE FROM inbox WHERE event_id = 2")
    await command("fanout", "redeliver", "1", "3")
    # it should leave the existing events acknowledged
    assert [row[0] for row in await board.fetch(ACKNOWLEDGED)] == [1, 3]
    # it should count the event as not acknowledged, so the mark has moved back
    assert await board.fetchval("SELECT acked_to FROM inbox_marks WHERE agent_id = 2") == 1
    await board.fetch("SELECT acknowledge($1, NULL, ARRAY[2::bigint], 1, 0)", cast.bob)
    assert await board.fetchval("SELECT acked_to FROM inbox_marks WHERE agent_id = 2") == 3

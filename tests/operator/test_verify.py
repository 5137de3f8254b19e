"""agent-board verify: whether a database still contains what was published."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.moderation import verification
from tests.operations.hand import deliver_all
from tests.operator import play
from tests.operator.conftest import Cast, Command, follow

SET = "SELECT outcome FROM set_subscription($1, $2, $3)"
LEAVE_OUT = "INSERT INTO audit (at, who, action, subject, reason) VALUES (now(), 'olga', 'leave ids out', $1, '')"
WELL = "6 posts have dense ids and match their receipts, and 8 events in inboxes are those of the log.\n"


@pytest.fixture
async def board(board_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that can write; the tests damage the board, so its tallies may be wrong in the end."""
    connection = await writing_connection(board_url)
    yield connection
    await connection.close()


@pytest.fixture(autouse=True)
async def _discussed(board: asyncpg.Connection, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six posts by alice, read in three batches; Bob follows in two ways, Carol in one, which she ends."""
    monkeypatch.setattr(verification, "POSTS", verification.POSTS.replace("LIMIT 500", "LIMIT 2"))
    await follow(board, cast)
    for wanted in ((), ("SQL",), ("sql", "plans")):
        await play.published(board, play.Post(cast.alice, community="meta", wanted=wanted))
    assert await board.fetchval(SET, cast.carol, 2, "deleted") == "changed"
    for community in ("meta", "meta", "general"):
        await play.published(board, play.Post(cast.alice, community=community))
    await deliver_all(board)
    await board.execute("UPDATE posts SET visible = false WHERE id = 3")


@asynccontextmanager
async def damaged(board: asyncpg.Connection, table: str, damage: str) -> AsyncIterator[None]:
    """Execute a statement that damages a table, and put its rows back at the end."""
    await board.execute(f"CREATE TABLE intact AS TABLE {table}; {damage}")
    yield
    # without the triggers and foreign keys of the table
    await board.execute("SET session_replication_role = replica")
    await board.execute(f"DELETE FROM {table}; INSERT INTO {table} TABLE intact; DROP TABLE intact")
    await board.execute("RESET session_replication_role")


async def test_an_erased_post_that_is_not_blank_is_reported(board: asyncpg.Connection, command: Command) -> None:
    assert (await command("erase", "post", "2", "--reason", "Spam.", "--yes"))[0] == 0
    assert await command("verify") == (0, WELL, "")
    for change in (
        "body = 'A key.'",
        "title = 'A key'",
        "wanted_capabilities = '{key}'",
        "confidence = 0.5",
        "hidden = 0",
    ):
        async with damaged(board, "posts", f"UPDATE posts SET {change} WHERE id = 2"):
            assert await command("verify") == (1, "", "Post 2 was erased, but is not blank.\n"), change
    assert await command("verify") == (0, WELL, "")


@pytest.mark.parametrize(("lost", "first", "last"), [("1", 1, 1), ("3", 3, 3), ("4, 5", 4, 5), ("6", 6, 6)])
async def test_missing_posts_are_reported(
    board: asyncpg.Connection, command: Command, lost: str, first: int, last: int
) -> None:
    await board.execute(f"DELETE FROM posts WHERE id IN ({lost})")
    await board.execute(f"DELETE FROM inbox WHERE event_id IN ({lost})")
    sentence = f"The posts {first} to {last} are missing, and no restore has left their ids out.\n"
    assert await command("verify") == (1, "", sentence)
    # a restore that left out others explains nothing
    await board.execute(LEAVE_OUT, f"{first + 1} {last + 1000}")
    assert await command("verify") == (1, "", sentence)


WRONG_INBOXES = (
    ("DELETE FROM inbox WHERE agent_id = 2 AND event_id = 4", "3 to 4", 1, 0, 4),
    ("DELETE FROM inbox WHERE event_id > 4", "5 to 6", 1, 0, 5),
    ("UPDATE inbox SET kind = 3 WHERE agent_id = 2 AND event_id = 1", "1 to 2", 0, 1, 1),
    ("UPDATE inbox SET subscription_ids = '{1}' WHERE agent_id = 2 AND event_id = 2", "1 to 2", 0, 1, 2),
    ("INSERT INTO inbox VALUES (3, 4, NULL, 4, '{2}')", "3 to 4", 0, 1, 4),
    ("INSERT INTO inbox VALUES (1, 6, NULL, 4, '{4}')", "5 to 6", 0, 1, 6),
    ("INSERT INTO inbox VALUES (2, 7, NULL, 4, '{1}')", "7 to 9223372036854775807", 0, 1, 7),
)


async def test_a_wrong_inbox_is_reported(board: asyncpg.Connection, command: Command) -> None:
    for damage, posts, missing, surplus, first in WRONG_INBOXES:
        async with damaged(board, "inbox", damage):
            found = (await command("verify"))[2].splitlines()
        sentence = (
            f"Of the posts {posts}, {missing} events are missing in inboxes and {surplus} are not those of the log, "
            f"the first of them of post {first}."
        )
        assert found == [sentence], damage
    assert (await command("verify"))[2] == ""


async def test_undelivered_events_are_not_missing(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    await play.published(board, play.Post(cast.alice, community="meta"))
    assert await command("verify") == (0, WELL.replace("6 posts", "7 posts"), "")

"""agent-board operator, announce and community (interface 9.6, 12.2, 14)."""

import asyncpg
import pytest

from services.board.tokens import new_token
from services.contract.limits import POSTS
from tests.operator import play
from tests.operator.conftest import Cast, Command

BOARD = "SELECT community_agents, contributors, operator_accounts FROM log_head"
COMMUNITY = "SELECT description, curated FROM communities WHERE slug = $1"


async def test_an_operator_account_is_no_community_agent(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await play.published(board, play.Post(cast.alice))
    assert await command("operator", "ALICE") == (0, "alice is now an operator account.\n", "")
    assert await command("operator", "alice") == (0, "alice is already an operator account.\n", "")
    assert tuple(await board.fetchrow(BOARD)) == (2, 0, 1)
    assert await command("operator", "alice", "--remove") == (0, "alice is now an ordinary account.\n", "")
    assert await command("operator", "--remove", "alice") == (0, "alice is already an ordinary account.\n", "")
    assert tuple(await board.fetchrow(BOARD)) == (3, 1, 0)
    # it should audit the words of the command, once for each change
    assert (
        await board.fetchval("SELECT string_agg(action, ', ' ORDER BY id) FROM audit") == "operator, operator --remove"
    )


async def test_an_announcement_is_a_thread_in_announcements(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await command("operator", "alice")
    assert await command("announce", "Alice", "News", "First line.\nSecond line.") == (
        0,
        "Published as thread 1.\n",
        "",
    )
    thread = await board.fetchrow("SELECT author, community, title, body, visible FROM posts WHERE id = 1")
    assert tuple(thread) == ("alice", "announcements", "News", "First line.\nSecond line.", True)
    assert await board.fetchval("SELECT kind FROM changes ORDER BY seq DESC LIMIT 1") == "post"
    entry = await board.fetchrow("SELECT who, action, subject, reason FROM audit ORDER BY id DESC LIMIT 1")
    assert tuple(entry) == ("olga", "announce", "alice", "thread 1")


REFUSED = [
    ("dora", "News", "A body.", "There is no agent with this name"),
    ("Bob", "News", "A body.", "Bob is not an operator account; `agent-board operator` makes it one"),
    ("alice", "two\nlines", "A body.", "title "),
    ("alice", "x" * 241, "A body.", "title has 241 characters; at most 240 "),
    ("alice", "News", "x" * 16001, "body has 16001 characters; at most 16000 "),
    ("alice", "News", "\ud800", "body "),
]


async def test_what_no_agent_may_post_no_operator_may_announce(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await command("operator", "alice")
    for name, title, body, sentence in REFUSED:
        status, output, error = await command("announce", name, title, body)
        assert (status, output, error.count("\n")) == (1, "", 1)
        assert error.startswith(sentence)
    assert await board.fetchval("SELECT count(*) FROM posts") == 0


async def test_a_token_is_not_announced(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    await command("operator", "alice")
    status, output, error = await command("announce", "alice", "News", f"Use {new_token()}.")
    assert (status, output) == (1, "")
    assert "credential" in error
    assert "agb_" not in error


async def test_announcements_count_in_the_post_limit(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    await command("operator", "alice")
    for _ in range(POSTS.quota):
        await play.published(board, play.Post(cast.alice))
    status, _, error = await command("announce", "alice", "News", "A body.")
    assert status == 1
    assert error.startswith(
        "alice has published 10 posts in the last 60 seconds, including announcements; try again in "
    )


async def test_a_suspended_operator_account_does_not_announce(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await command("operator", "alice")
    await command("suspend", "alice")
    assert (await command("announce", "alice", "News", "A body."))[2].startswith("alice is suspended")


async def test_a_community_is_made_once_and_described_again(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await play.published(board, play.Post(cast.alice, community="sql"))
    assert await command("community", "SQL", "Databases.") == (0, "sql is now a curated community.\n", "")
    assert await command("community", "sql", "Databases.") == (0, "sql already has this description.\n", "")
    assert await command("community", "sql", "Questions.") == (0, "sql has a new description.\n", "")
    assert tuple(await board.fetchrow(COMMUNITY, "sql")) == ("Questions.", True)
    kinds = "SELECT string_agg(kind || ' ' || community, ', ' ORDER BY seq) FROM changes WHERE kind = 'community'"
    assert await board.fetchval(kinds) == "community sql, community sql"


@pytest.mark.parametrize(("slug", "description"), [("a b", "x"), ("-a", "x"), ("x" * 41, "x"), ("sql", "a\nb")])
async def test_a_wrong_slug_or_description_is_one_sentence(idle_command: Command, slug: str, description: str) -> None:
    status, output, error = await idle_command("community", "--", slug, description)
    assert (status, output, error.count("\n")) == (1, "", 1)
    assert await idle_command("audit") == (0, "No operator has done anything yet.\n", "")

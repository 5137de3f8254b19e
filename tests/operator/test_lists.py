"""agent-board agents, posts and noisy (interface 14.1): the lists of an operator, for people and for programs."""

import json
import re
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from tests.operator import play
from tests.operator.conftest import Cast, Command

HOSTILE = "Buy\nNOW! \x1b[31m\u202ered\u200b"


@pytest.fixture
async def posts(board: asyncpg.Connection, cast: Cast) -> list[int]:
    """A thread of Alice, two replies of Bob, and a thread of Bob in another community with a vote."""
    first = await play.published(board, play.Post(cast.alice))
    replies = [await play.published(board, play.Post(cast.bob, parent=first)) for _ in range(2)]
    second = await play.published(board, play.Post(cast.bob, community="meta"))
    await play.vote(board, cast.alice, second, 1)
    return [first, *replies, second]


async def listed(command: Command, *args: str) -> list[Any]:
    """Return the records that a command prints as JSON."""
    status, output, error = await command(*args, "--json")
    assert (status, re.sub(r"\d of \d shown; --limit shows more\.\n", "", error)) == (0, "")
    return [json.loads(line) for line in output.splitlines() if line]


@asynccontextmanager
async def older(board: asyncpg.Connection, *rows: str) -> AsyncIterator[None]:
    """Make rows ten days older within the block. Each is given as table, column and condition."""
    for sign in "-+":
        for table, column, where in (row.split(" ", 2) for row in rows):
            await board.execute(f"UPDATE {table} SET {column} = {column} {sign} interval '10 days' WHERE {where}")
        if sign == "-":
            yield


POSTS: list[tuple[str, list[int]]] = [
    ("", [3, 2, 1, 0]),
    ("--author bOB", [3, 2, 1]),
    ("--community META", [3]),
    ("--text 'A TITLE'", [3, 0]),
    ("--text 100%", []),
    ("--hidden", [1]),
    ("--suspended", [0]),
    ("--young 1d", [3, 2, 1]),
    ("--since 1d", [3, 2, 0]),
    ("--limit 1", [3]),
    ("--since 1d --author alice --text title", [0]),
]
AGENTS = [
    ("", ["carol", "Bob", "alice"]),
    ("--young 1d", ["carol", "Bob"]),
    ("--since 1d", ["Bob", "alice"]),
    ("--suspended", ["Bob"]),
    ("--named *O*", ["carol", "Bob"]),
    ("--named bob", ["Bob"]),
    ("--text OB", ["Bob"]),
    ("--batch {batch}", ["Bob"]),
]


async def test_posts_are_filtered(board: asyncpg.Connection, command: Command, posts: list[int]) -> None:
    await command("hide", str(posts[1]), "--reason", "Off topic.")
    await command("suspend", "alice")
    async with older(board, "agents created name = 'alice'", f"posts created id = {posts[1]}"):
        for line, expected in POSTS:
            found = [post["id"] for post in await listed(command, "posts", *shlex.split(line))]
            assert found == [posts[number] for number in expected], line


async def test_agents_are_filtered(board: asyncpg.Connection, command: Command, posts: list[int]) -> None:
    _, output, _ = await command("suspend", "Bob", "--reason", "Floods.", "--json")
    batch = json.loads(output)["batch"]
    async with older(board, "agents created name = 'alice'", "agents activity name = 'carol'"):
        for line, expected in AGENTS:
            found = await listed(command, "agents", *shlex.split(line.format(batch=batch)))
            assert [agent["name"] for agent in found] == expected, line


async def test_a_table_has_a_line_for_each_row_whatever_agents_wrote(
    board: asyncpg.Connection, command: Command, posts: list[int]
) -> None:
    await board.execute("UPDATE agents SET bio = $1 WHERE name = 'Bob'", HOSTILE + "x" * 900)
    status, output, _ = await command("agents")
    lines = output.splitlines()
    assert (status, len(lines)) == (0, 4)
    assert all(character.isprintable() for line in lines for character in line)
    assert max(map(len, lines)) < 200
    # programs should get the text as it is
    assert (await listed(command, "agents", "--text", "Bob"))[0]["bio"] == HOSTILE + "x" * 900

"""A board with three agents for each test, and the operator's command that acts on it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.operator.program import app
from tests.invoking import invoke
from tests.operator import play


@dataclass
class Cast:
    """The token hashes of the three agents."""

    alice: bytes
    bob: bytes
    carol: bytes


@pytest.fixture
def board_url(database: str) -> str:
    return database


@pytest.fixture
async def board(board_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that can write. When the test ends, all tallies must be right."""
    connection = await writing_connection(board_url)
    yield connection
    wrong = await play.wrong_tallies(connection)
    await connection.close()
    assert wrong == []


@pytest.fixture
async def cast(board: asyncpg.Connection) -> Cast:
    return Cast(*[await play.register(board, name) for name in ("alice", "Bob", "carol")])


async def follow(board: asyncpg.Connection, cast: Cast) -> None:
    """Let all three follow the community `meta`, and Bob also the capability `sql`."""
    for token, kind, target in (
        (cast.bob, "community", "meta"),
        (cast.carol, "community", "meta"),
        (cast.bob, "capability", "sql"),
        (cast.alice, "community", "meta"),
    ):
        assert await board.fetchval("SELECT outcome FROM subscribe($1, $2, $3, 100)", token, kind, target) == "created"


class Command:
    """Runs `agent-board` in this process, as the operator olga, on the board of the test."""

    def __init__(self, url: str) -> None:
        self.env = {"DATABASE_URL": url, "AGENT_BOARD_OPERATOR": "olga"}

    async def __call__(self, *args: str, stdin: str | bytes = "") -> tuple[int, str, str]:
        """Return the exit status, standard output, and standard error without the line that names the board."""
        # The command starts its own event loop, which is not possible in a thread that already runs one.
        result = await asyncio.to_thread(invoke, app, args, stdin, env=self.env)
        lines = result.stderr.splitlines(keepends=True)
        return result.exit_code, result.stdout, "".join(line for line in lines if not line.startswith("Board: "))


@pytest.fixture
def command(board_url: str) -> Command:
    return Command(board_url)


@pytest.fixture
def idle_command(module_database: str) -> Command:
    """The command on an unused board, for calls that change nothing."""
    return Command(module_database)

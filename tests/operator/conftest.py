"""A board for each test, with its cast, and the operator's command upon it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest
from typer.testing import CliRunner

from services.board.__main__ import app
from services.board.database import writing_connection
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
    """A writing connection. When the test ends, all tallies must be right."""
    connection = await writing_connection(board_url)
    yield connection
    wrong = await play.wrong_tallies(connection)
    await connection.close()
    assert wrong == []


@pytest.fixture
async def cast(board: asyncpg.Connection) -> Cast:
    return Cast(*[await play.register(board, name) for name in ("alice", "Bob", "carol")])


class Command:
    """Calls `agent-board` on the board, as the operator olga, in this process."""

    def __init__(self, url: str) -> None:
        self.env = {"DATABASE_URL": url, "AGENT_BOARD_OPERATOR": "olga"}

    async def __call__(self, *args: str) -> tuple[int, str, str]:
        """Return the exit status, standard output and standard error."""
        # The command runs a loop of its own, which a thread that runs one already may not.
        result = await asyncio.to_thread(CliRunner().invoke, app, args, env=self.env)
        return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def command(board_url: str) -> Command:
    return Command(board_url)


@pytest.fixture
def idle_command(shared_database: str) -> Command:
    """The command on a board that nobody has used, for calls that change nothing."""
    return Command(shared_database)

"""Of the databases that restores have replaced, the newest stay on the server."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.exports import restore
from deploy.compose.replaced_data import drop_oldest
from deploy.compose.stack import Stack
from services.local.postgresql import PostgreSQL

REPLACED = [f"agent_board_before_2026112{day}t080000z" for day in range(4)]
OTHERS = ["agent_board_before_christmas", "agent_board_restored"]


class Server(Stack):
    """A stack whose commands in PostgreSQL's container run on the server of the tests."""

    def __init__(self, url: str, configuration: Configuration) -> None:
        super().__init__(configuration)
        self.url = url

    def ask(self, *arguments: str, **_: Any) -> str:
        return asyncio.run(self.run(arguments))

    def compose(self, *arguments: str, **_: Any) -> None:
        asyncio.run(self.run(arguments))

    async def run(self, arguments: tuple[str, ...]) -> str:
        connection = await asyncpg.connect(self.url)
        statements = [each.partition("=")[2] for each in arguments if each.startswith("--command=")]
        rows = [row for statement in statements for row in await connection.fetch(statement)]
        await connection.close()
        return "\n".join(str(row[0]) for row in rows)


@pytest.fixture
def server(postgresql: PostgreSQL, tmp_path: Path) -> Callable[[str], Server]:
    return lambda kept: Server(
        postgresql.url(), Configuration({"ENV_FILE": str(tmp_path / ".env"), "KEPT_DATABASES": kept})
    )


def test_older_ones_are_dropped_and_no_other_database(server: Callable[[str], Server]) -> None:
    stack = server("2")
    stack.compose(*(f"--command=CREATE DATABASE {name}" for name in [*REPLACED[::-1], *OTHERS]))
    said = drop_oldest(stack)
    assert said == f"Dropped, because KEPT_DATABASES is 2: {REPLACED[0]}, {REPLACED[1]}."
    left = stack.ask("--command=SELECT datname FROM pg_database WHERE datname LIKE 'agent_board_%' ORDER BY datname")
    assert left.split() == [*REPLACED[2:], *OTHERS]
    assert drop_oldest(stack) == ""


@pytest.mark.parametrize("kept", ["0", "-1", "all"])
def test_a_wrong_number_is_refused_before_anything_is_done(
    server: Callable[[str], Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    stack = server(kept)
    monkeypatch.setattr(stack, "check_engine", lambda: None)
    (tmp_path / "a.dump").touch()
    with pytest.raises(StackError, match="KEPT_DATABASES must be"):
        restore(stack, str(tmp_path / "a.dump"))

"""PostgreSQL's log in the stack holds no words of agents: slow statements come without parameters."""

from pathlib import Path
from typing import Any

import asyncpg
import yaml

from deploy.compose.configuration import DIRECTORY
from tests.databases import QUICK, CopyServer
from tests.operator import play

EVERYTHING = {"log_min_duration_statement": "0"}


def logging(arguments: list[str]) -> dict[str, str]:
    """Return the settings of the log in a command of PostgreSQL."""
    pairs = (argument.removeprefix("--").partition("=")[::2] for argument in arguments)
    return {name: value for name, value in pairs if name.startswith("log_")}


def of_stack() -> dict[str, str]:
    stack: dict[str, Any] = yaml.safe_load((DIRECTORY / "compose.yaml").read_text())
    return logging(stack["services"]["postgresql"]["command"])


async def test_no_word_of_an_agent_is_logged(own_server: CopyServer, tmp_path: Path) -> None:
    with own_server(tmp_path, {**QUICK, **of_stack(), **EVERYTHING}) as server:
        connection = await asyncpg.connect(server.url())
        await play.published(connection, play.Post(await play.register(connection, "alice")))
        await connection.close()
        written = server.log.read_text()
    assert "FROM publish(" in written
    assert "A body." not in written

"""The commands know how many connections of PostgreSQL the replicas may need."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.compose.capacity import API_CONNECTIONS, FANOUT_CONNECTIONS, check_connections
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack
from services.board.database.requirements import CONNECTIONS_PER_API, CONNECTIONS_PER_FANOUT
from services.board.verifiable_log.signing import make_key
from services.fanout.app import Fanout
from services.process.metrics import Registry
from services.process.settings import Settings
from tests.processes import ApiProcess

SINGLE = ("committer", "change feed", "probe")
"""The parts of an API process with one connection each, besides its pools."""


def test_an_api_process_has_the_connections_that_the_commands_expect(start_api: Callable[..., ApiProcess]) -> None:
    page = start_api(READ_POOL_SIZE="3").operator("/metrics")[1]
    pools = dict(re.findall(r'^agent_board_pool_connections_max{pool="(\w+)"} (\d+)', page, re.M))
    assert pools.pop("read") == "3"
    assert sum(map(int, pools.values())) + len(SINGLE) == API_CONNECTIONS


def test_a_fanout_process_has_the_connections_that_the_commands_expect() -> None:
    settings = Settings(database_url="postgresql://nowhere/x", log_key=make_key("nowhere/log"))  # type: ignore[arg-type]
    assert len(Fanout(settings, Registry()).workers) == FANOUT_CONNECTIONS


def test_agent_board_doctor_expects_the_same_connections() -> None:
    reads = Settings.model_fields["read_pool_size"].default
    assert (reads + API_CONNECTIONS, FANOUT_CONNECTIONS) == (CONNECTIONS_PER_API, CONNECTIONS_PER_FANOUT)


class Server(Stack):
    """A stack whose PostgreSQL accepts 200 connections, and will accept those that are given."""

    given = 200

    def described(self, *_: str) -> dict[str, Any]:
        return {"services": {"postgresql": {"command": ["postgres", f"--max_connections={self.given}"]}}}

    def containers(self, *_: str) -> list[Container]:
        return [Container("1", "postgresql", "postgresql", "running", "healthy", 0, 0)]

    def ask(self, *arguments: str, **_: Any) -> str:
        assert "--command=SHOW max_connections" in arguments
        return "200\n"


def stack(folder: Path, **settings: str) -> Server:
    return Server(Configuration({"ENV_FILE": str(folder / ".env"), **settings}))


def test_connections_that_postgresql_does_not_accept_yet_are_refused(tmp_path: Path) -> None:
    server = stack(tmp_path)
    server.given = 400
    check_connections(server, 7)
    with pytest.raises(StackError, match="PostgreSQL does not accept them yet: first run docker compose up"):
        check_connections(server, 8)


def test_more_api_processes_than_postgresql_has_connections_for_are_refused(tmp_path: Path) -> None:
    # one more during a roll: 8 x 21, and 3 fan-outs with 6 each, and 12 to spare
    check_connections(stack(tmp_path), 7)
    with pytest.raises(StackError) as refused:
        check_connections(stack(tmp_path), 8)
    assert str(refused.value) == (
        "With 8 API processes, the board may need 219 connections, and PostgreSQL would accept 200: set "
        "POSTGRES_MAX_CONNECTIONS=219 in .env and run make up, or lower READ_POOL_SIZE."
    )
    check_connections(stack(tmp_path, READ_POOL_SIZE="7"), 8)

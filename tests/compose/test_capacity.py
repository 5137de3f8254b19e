"""The commands know how many connections of PostgreSQL the replicas may need."""

import re
from collections.abc import Callable

from deploy.compose.capacity import API_CONNECTIONS, FANOUT_CONNECTIONS
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

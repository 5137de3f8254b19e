"""Searches, which cost more than other reads, leave connections of the pool to these (ARCHITECTURE.md)."""

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.api.raw import Raw
from tests.metrics import metric
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.raw import request
from tests.waiting import wait_until
from tests.web import Web

SEARCHES = 12
WAITING = "wait_event_type = 'Lock' AND application_name = 'agent-board reads' AND datname = current_database()"


@pytest.mark.parametrize(
    ("pool", "most", "search", "table"),
    [
        ("7", 2, "/api/search?q=saiga", "thread_search"),
        ("2", 1, "/api/search?q=saiga", "thread_search"),
        ("7", 2, "/api/agents?q=saiga", "agent_search"),
        ("7", 2, "/agents?q=saiga", "agent_search"),
        ("7", 2, "/api/agents?capability=saiga", "agent_search"),
    ],
)
def test_searches_that_take_long_hold_up_no_other_read(
    start_api: Callable[..., ApiProcess], database: str, pool: str, most: int, search: str, table: str
) -> None:
    api = start_api(READ_POOL_SIZE=pool)
    with Operator(database) as holder, Operator(database) as operator, Web(api.url) as web, ExitStack() as searching:
        holder.sql("BEGIN")
        holder.sql(f"LOCK TABLE {table}")
        for number in range(SEARCHES):
            searching.enter_context(Raw(api.url)).send(request("GET", f"{search}{number}"))
        wait_until(lambda: metric(api, "agent_board_requests_in_flight") == SEARCHES)
        wait_until(lambda: operator.count("pg_stat_activity", WAITING) == most)
        for offset in range(5):
            assert web.get(f"/api/threads?offset={offset}").status == 200
        assert operator.count("pg_stat_activity", WAITING) <= most
        holder.sql("ROLLBACK")

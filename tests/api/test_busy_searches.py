"""Searches, which cost more than other reads, leave connections of the pool to these (ARCHITECTURE.md)."""

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.api.raw import Raw
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.raw import request
from tests.waiting import wait_until
from tests.web import Web

SEARCHES = 12
WAITING = "wait_event_type = 'Lock' AND query LIKE '%search_threads(%' AND datname = current_database()"


@pytest.mark.parametrize(("pool", "most"), [("7", 2), ("2", 1)])
def test_searches_that_take_long_hold_up_no_other_read(
    start_api: Callable[..., ApiProcess], database: str, pool: str, most: int
) -> None:
    api = start_api(READ_POOL_SIZE=pool)
    with Operator(database) as holder, Operator(database) as operator, Web(api.url) as web, ExitStack() as searching:
        holder.sql("BEGIN")
        holder.sql("LOCK TABLE thread_search")
        for number in range(SEARCHES):
            searching.enter_context(Raw(api.url)).send(request("GET", f"/api/search?q=saiga{number}"))
        wait_until(lambda: operator.count("pg_stat_activity", WAITING) == most)
        for offset in range(5):
            assert web.get(f"/api/threads?offset={offset}").status == 200
        assert operator.count("pg_stat_activity", WAITING) <= most
        holder.sql("ROLLBACK")

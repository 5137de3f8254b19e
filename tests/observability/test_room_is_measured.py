"""What is measured against what there is room for: writes that wait, connections of a pool."""

import re
from collections.abc import Callable

from tests.processes import ApiProcess


def test_the_api_says_how_many_writes_may_wait_and_how_many_connections_it_may_open(
    start_api: Callable[..., ApiProcess],
) -> None:
    page = start_api(WRITE_QUEUE="7", READ_POOL_SIZE="3").operator("/metrics")[1]
    assert re.search(r"^agent_board_writes_waiting_max 7\b", page, re.M)
    found = dict(re.findall(r'^agent_board_pool_connections_max{pool="(\w+)"} (\d+)', page, re.M))
    assert found == {"read": "3", "write": "2", "token": "2"}

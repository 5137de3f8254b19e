"""The limits of queues and pools are metrics too."""

import re
from collections.abc import Callable

from tests.processes import ApiProcess


def test_an_api_process_reports_the_sizes_of_its_queue_and_its_pools(
    start_api: Callable[..., ApiProcess],
) -> None:
    page = start_api(READ_POOL_SIZE="3").operator("/metrics")[1]
    assert re.search(r'^agent_board_writes_waiting_max{kind="post"} 2000\b', page, re.M)
    found = dict(re.findall(r'^agent_board_pool_connections_max{pool="(\w+)"} (\d+)', page, re.M))
    assert found == {"read": "3", "write": "6", "token": "2"}

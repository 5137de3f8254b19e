"""Lines from the log of a process: a separate thread writes them, up to 200 ms later."""

import time
from typing import Any

from tests.processes import ApiProcess

SECONDS = 10


def lines_of(api: ApiProcess, request_id: str, count: int) -> list[dict[str, Any]]:
    """Return the lines about a request, once there are `count` of them."""
    deadline = time.monotonic() + SECONDS
    while True:
        complete = api.log.read_text().rpartition("\n")[0]
        if complete.count(request_id) >= count or time.monotonic() > deadline:
            lines = [line for line in api.log_lines() if line.get("request_id") == request_id]
            assert len(lines) == count, lines
            return lines
        time.sleep(0.01)

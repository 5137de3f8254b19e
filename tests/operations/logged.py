"""Lines from the log of a process: a separate thread writes them, up to 200 ms later."""

import json
import time
from typing import Any

from tests.lines import whole_lines
from tests.processes import ApiProcess

SECONDS = 10


def lines_of(api: ApiProcess, request_id: str, count: int) -> list[dict[str, Any]]:
    """Return the lines about a request, once there are `count` of them."""
    deadline = time.monotonic() + SECONDS
    while True:
        lines = [json.loads(line) for line in whole_lines(api.log) if request_id in line]
        if len(lines) >= count or time.monotonic() > deadline:
            assert len(lines) == count, lines
            return lines
        time.sleep(0.01)

"""What both of our HTTP servers do with their clients' connections when they stop."""

import time
from collections.abc import Iterable
from typing import Any, Final

IDLE_GRACE_SECONDS: Final = 1.0
"""Who was answered so recently may have sent the next request already, which closing the connection would lose."""


def busy_connections(connections: Iterable[Any]) -> list[Any]:
    """The connections (Sanic's) with a request in hand or likely to bring one, after closing the others."""
    recently = time.monotonic() - IDLE_GRACE_SECONDS
    return [
        connection
        for connection in list(connections)
        # a connection that was accepted just now has no time yet
        if not 0 < connection._time < recently or not connection.close_if_idle()
    ]

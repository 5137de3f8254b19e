"""How PostgreSQL and this process notice that the other's host is gone: TCP asks, and gives up after about 25 s."""

import socket
from time import monotonic
from typing import Any

import asyncpg

IDLE_SECONDS, INTERVAL_SECONDS, PROBES = 10, 5, 3
UNACKNOWLEDGED_MILLISECONDS = 25_000

# Settings of the server for its side of a connection.
KEEPALIVES = {
    "tcp_keepalives_idle": str(IDLE_SECONDS),
    "tcp_keepalives_interval": str(INTERVAL_SECONDS),
    "tcp_keepalives_count": str(PROBES),
    "tcp_user_timeout": str(UNACKNOWLEDGED_MILLISECONDS),
}
# The same for our side.
OPTIONS = {
    "TCP_KEEPIDLE": IDLE_SECONDS,
    "TCP_KEEPINTVL": INTERVAL_SECONDS,
    "TCP_KEEPCNT": PROBES,
    "TCP_USER_TIMEOUT": UNACKNOWLEDGED_MILLISECONDS,
}


class Connection(asyncpg.Connection):  # type: ignore[misc] # the driver has no types
    """A connection with keepalives. `opened` is the moment of the monotonic clock at which it was opened."""

    # The driver documents that its class may be extended, but no access to the socket other than these arguments.
    def __init__(self, protocol: Any, transport: Any, *more: Any) -> None:
        super().__init__(protocol, transport, *more)
        self.opened = monotonic()
        keep_alive(transport.get_extra_info("socket"))

    def is_read_only(self) -> bool:
        """Return whether its session cannot write. It stays so when the settings of its database no longer say so."""
        return bool(self.get_settings().default_transaction_read_only == "on")


def keep_alive(connected: socket.socket) -> None:
    """Have the system end a TCP connection whose other end does not answer."""
    if connected.family == socket.AF_UNIX:
        return
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in OPTIONS.items():
        connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

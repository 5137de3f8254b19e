"""Ports of this machine: which are free, and which are taken."""

import errno
import os
import secrets
import socket
from collections import deque
from pathlib import Path

from deploy.local.errors import LocalError

_LOWEST = 20000
_CLAIMS_MAX = 100

# A datagram socket of the same number marks a port that was given out and on which nobody listens yet, so that no other
# process is given it, too; the kernel takes the mark away with the process. The oldest marks give way: their ports
# are in use by then.
_claims: deque[int] = deque()


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody uses now, and that nobody else is given.

    It lies below the range from which the kernel serves outgoing connections: a client that keeps calling a stopped
    server at a port of that range ends up connected to itself, and the server cannot come back.
    """
    highest = _first_outgoing_port()
    for _ in range(1000):
        # Not `random`: test workers that share a seed would all pick the same.
        port = _LOWEST + secrets.randbelow(highest - _LOWEST)
        if not is_taken("127.0.0.1", port) and _claim(port):
            return port
    raise LocalError(f"No port of 127.0.0.1 between {_LOWEST} and {highest} is free.")


def _claim(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as claim:
        try:
            claim.bind(("127.0.0.1", port))
        except OSError:
            return False
        _claims.append(claim.detach())
    if len(_claims) > _CLAIMS_MAX:
        os.close(_claims.popleft())
    return True


def is_taken(host: str, port: int) -> bool:
    """Whether somebody listens on the port. Raises LocalError when this address and port can never be ours."""
    family, _, _, _, address = _resolve(host, port)
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # SO_REUSEADDR passes over closed connections that linger. SO_REUSEPORT is left out on purpose: with it the
        # probe would share the port with a listener that has it too, and find it free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
            raise LocalError(f"Port {port} of {host} cannot be opened: {error.strerror}.") from None
    return False


def _resolve(host: str, port: int) -> tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]  # type: ignore[return-value]
    except OSError:
        raise LocalError(f"HOST {host} is not an address of this machine.") from None


def _first_outgoing_port() -> int:
    try:
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        first = 32768
    return first if first > _LOWEST + 1000 else 65536

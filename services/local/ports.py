"""Ports of this machine: finding free ones, and checking whether one is in use."""

import errno
import os
import secrets
import socket
from collections import deque
from pathlib import Path

from services.local.errors import LocalError

LOWEST = 20000
CLAIMS_MAX = 100
OUTGOING = Path("/proc/sys/net/ipv4/ip_local_port_range")

# A UDP socket on the same port number marks a port that was handed out but is not in use yet, so that no other process
# gets it. The kernel removes the mark when the process exits. The oldest marks are released first: their ports are in
# use by then.
claims: deque[int] = deque()


def free_port() -> int:
    """Return a port of 127.0.0.1 that is not in use and is not handed out to any other process.

    It lies below the kernel's range for outgoing connections. A client that keeps calling a stopped server on a port in
    that range can end up connected to itself, and the server cannot restart.
    """
    first = int(OUTGOING.read_text().split()[0])
    highest = first if first > LOWEST + 1000 else 65536
    for _ in range(1000):
        # Not `random`: test workers with the same seed would all choose the same port.
        port = LOWEST + secrets.randbelow(highest - LOWEST)
        if not is_taken("127.0.0.1", port) and claim_port(port):
            return port
    raise LocalError(f"No port of 127.0.0.1 between {LOWEST} and {highest} is free.")


def claim_port(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as claim:
        try:
            claim.bind(("127.0.0.1", port))
        except OSError:
            return False
        claims.append(claim.detach())
    if len(claims) > CLAIMS_MAX:
        os.close(claims.popleft())
    return True


def is_taken(host: str, port: int) -> bool:
    """Return whether a program listens on the port. Raises LocalError if this process could never listen there."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError:
        raise LocalError(f"HOST {host} is not an address of this machine.") from None
    with socket.socket(found[0], socket.SOCK_STREAM) as probe:
        # SO_REUSEADDR ignores closed connections that linger. SO_REUSEPORT is deliberately not set: the probe would
        # share the port with a listener that sets it too, and find the port free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(found[4])
            probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
            raise LocalError(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
    return False

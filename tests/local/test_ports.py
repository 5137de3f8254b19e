"""Which ports are free, and which are taken."""

import secrets
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from services.local.ports import free_port, is_taken
from tests.processes import CHECKOUT


def test_a_free_port_is_never_one_that_the_kernel_gives_to_clients() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    for port in {free_port() for _ in range(50)}:
        assert not first <= port <= last
        assert not is_taken("127.0.0.1", port)


def test_a_free_port_is_given_to_one_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = "from services.local.ports import free_port; print(free_port(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", ask], cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        theirs, ours = int(other.stdout.readline()), free_port()
        draw = secrets.randbelow
        drawn = [theirs - 20000, ours - 20000]
        monkeypatch.setattr("secrets.randbelow", lambda below: drawn.pop(0) if drawn else draw(below))
        # it should skip both, although nothing listens there yet
        assert free_port() not in (theirs, ours)
        assert not drawn
        other.communicate("\n")
    # it should be free again when the process has ended
    drawn.append(theirs - 20000)
    assert free_port() == theirs


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "::"])
@pytest.mark.parametrize("shared", [False, True])
def test_a_port_is_taken_whoever_listens(address: str, shared: bool) -> None:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        port = free_port()
        other.bind((address, port))
        other.listen()
        assert is_taken("127.0.0.1", port)

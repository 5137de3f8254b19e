"""Starts our processes by forking a server that has already imported their code: the imports take over a second.

`python -m tests.forkserver` reads requests from its standard input, a socket. For each request it forks a guardian,
which forks the process, reports its id and its exit code, and kills it if the test run ends first.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

CHECKOUT = Path(__file__).parents[1]
NUMBER = struct.Struct("!i")


class Forked:
    """A process that the server has started, with those methods of subprocess.Popen that tests use."""

    def __init__(self, guardian: socket.socket) -> None:
        self.guardian = guardian
        self.returncode: int | None = None
        self.pid = receive_number(guardian)

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code. Raises TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self.guardian], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            self.returncode = receive_number(self.guardian)
            self.guardian.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """The server of this test process; the first launch starts it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.requests: socket.socket | None = None

    def launch(self, module: str, imports: str, env: dict[str, str], output: int) -> Forked:
        """Run a module as `python -m` does, in a process that has imported `imports`; `output` is a descriptor."""
        ours, guardians = socket.socketpair()
        request = json.dumps([module, imports, env]).encode()
        with guardians, self.lock:
            requests = self.started()
            socket.send_fds(requests, [NUMBER.pack(len(request))], [guardians.fileno(), output])
            requests.sendall(request)
        return Forked(ours)

    def started(self) -> socket.socket:
        if self.requests is None:
            self.requests, its_end = socket.socketpair()
            with its_end:
                command = [sys.executable, "-m", "tests.forkserver"]
                self.server = subprocess.Popen(command, stdin=its_end.fileno(), cwd=CHECKOUT, start_new_session=True)
            atexit.register(self.end, self.requests)
        return self.requests

    def end(self, requests: socket.socket) -> None:
        requests.close()
        self.server.wait()


SERVER = ForkServer()


def receive_number(connection: socket.socket) -> int:
    return int(NUMBER.unpack(connection.recv(NUMBER.size, socket.MSG_WAITALL))[0])


def serve(requests: socket.socket) -> str | None:
    """Start a guardian for each request; return the module to run in the process itself, None in the server."""
    while True:
        size, descriptors, _, _ = socket.recv_fds(requests, NUMBER.size, 2)
        if not size:
            return None
        request = requests.recv(NUMBER.unpack(size)[0], socket.MSG_WAITALL)
        module, imports, env = json.loads(request)
        importlib.import_module(imports)
        gc.freeze()
        if os.fork() == 0:
            requests.close()
            guard(env, *descriptors)
            return str(module)
        for descriptor in descriptors:
            os.close(descriptor)


def guard(env: dict[str, Any], guardian: int, output: int) -> None:
    """Fork the process, and return in it; the guardian ends here."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid != 0:
        os.close(output)
        report(pid, socket.socket(fileno=guardian))
    os.setpgid(0, 0)
    os.close(guardian)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    os.environ.update(env)


def report(pid: int, test: socket.socket) -> NoReturn:
    """Send the process's id, and its exit code as soon as it ends; kill it if the test run ends first."""

    def kill_orphan() -> None:
        if not test.recv(1):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    test.send(NUMBER.pack(pid))
    threading.Thread(target=kill_orphan, daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(OSError):
        test.send(NUMBER.pack(code))
    os._exit(0)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # guardians are not waited for
    module = serve(socket.socket(fileno=0))
    if module is not None:
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()

"""A server that has imported our code and forks processes from itself (tests/forked.py).

`python -m tests.forkserver` accepts connections on its standard input, a socket. For each it forks a process, reports
its id and its exit code, and kills it if the other end of the connection is closed first.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import sys
from dataclasses import dataclass
from typing import Any

NUMBER = struct.Struct("!i")
PR_SET_PDEATHSIG = 1
STREAMS = (("stdin", "r", -1, "strict"), ("stdout", "w", -1, "strict"), ("stderr", "w", 1, "backslashreplace"))


@dataclass
class Child:
    """A process, the connection on which a test asked for it, and a descriptor that is readable at its end."""

    pid: int
    test: socket.socket
    ended: int

    def report(self) -> None:
        """Send its exit code; kill it if it still runs, because the test has ended first."""
        signal.pidfd_send_signal(self.ended, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        with contextlib.suppress(OSError):
            self.test.send(NUMBER.pack(code))
        self.close()

    def close(self) -> None:
        os.close(self.ended)
        self.test.close()


def serve(listener: socket.socket) -> dict[str, Any]:
    """Start a process for each request, and return the request in the process itself."""
    children: list[Child] = []
    while True:
        watched: list[Any] = [listener, *(child.ended for child in children), *(child.test for child in children)]
        readable = select.select(watched, [], [])[0]
        done = [child for child in children if child.ended in readable or child.test in readable]
        for child in done:
            children.remove(child)
            child.report()
        if listener in readable and (request := start(listener, children)):
            return request


def start(listener: socket.socket, children: list[Child]) -> dict[str, Any] | None:
    """Fork the process of the next request, and return the request only in that process."""
    test, _ = listener.accept()
    size, streams, _, _ = socket.recv_fds(test, NUMBER.size, 3)
    content = test.recv(NUMBER.unpack(size)[0], socket.MSG_WAITALL) if size else b""
    if not content:  # the caller was killed
        for stream in (test.detach(), *streams):
            os.close(stream)
        return None
    request: dict[str, Any] = json.loads(content)
    importlib.import_module(request["imports"])
    gc.freeze()
    server, pid = os.getpid(), os.fork()
    if pid == 0:
        die_with(server)
        for child in children:
            child.close()
        listener.close()
        test.close()
        take_over(request, streams)
        return request
    with contextlib.suppress(OSError):  # the caller was killed, and so will this process be
        test.send(NUMBER.pack(pid))
    children.append(Child(pid, test, os.pidfd_open(pid)))
    for stream in streams:
        os.close(stream)
    return None


def die_with(server: int) -> None:
    """Let the kernel kill this process when the server ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)


def take_over(request: dict[str, Any], streams: list[int]) -> None:
    """Give this process the streams, the folder and the variables of the request."""
    os.setpgid(0, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    open_streams()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])


def open_streams() -> None:
    """Open standard input, output and error as the interpreter does when it starts."""
    for number, (name, mode, buffering, errors) in enumerate(STREAMS):
        stream = open(number, mode, buffering, errors=errors, closefd=False)  # noqa: SIM115 - it stays open until the end
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def leave(codes: list[int]) -> None:
    """End at once with the exit code, if it is known: to free all that the server has imported takes long."""
    if codes:
        with contextlib.suppress(OSError, ValueError):  # the interpreter tries again, and reports it
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(codes[0])


def main() -> None:
    codes: list[int] = []
    atexit.register(leave, codes)  # the first to be registered is the last to run
    request = serve(socket.socket(fileno=0))
    try:
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            codes.append(end.code or 0)
        raise
    codes.append(0)


if __name__ == "__main__":
    main()

"""A server that has imported our code and forks processes from itself (tests/forked.py).

`python -m tests.forkserver` accepts connections on its standard input, a socket. For each it forks a guardian, which
forks the process, reports its id and its exit code, and kills it if the other end of the connection is closed first.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import threading
from types import ModuleType
from typing import Any, NoReturn

from tests.forked_command import NUMBER

# Each command: the module with its main(), and one that imports its code. `board mcp` loads much more.
COMMANDS = {
    "agent-board": ("services.operator.__main__", "services.operator.program"),
    "board": ("agent_board_client.cli", "agent_board_client.cli"),
}
MCP = "agent_board_client.mcp_server"
STREAMS = (("stdin", "r", -1, "strict"), ("stdout", "w", -1, "strict"), ("stderr", "w", 1, "backslashreplace"))


def serve(listener: socket.socket) -> dict[str, Any]:
    """Start a guardian for each request, and return the request in the process itself."""
    while True:
        connection, _ = listener.accept()
        size, streams, _, _ = socket.recv_fds(connection, NUMBER.size, 3)
        if not size:
            connection.close()
            continue
        request = json.loads(connection.recv(NUMBER.unpack(size)[0], socket.MSG_WAITALL))
        for name in imports_of(request):
            importlib.import_module(name)
        gc.freeze()
        if os.fork() == 0:
            listener.close()
            guard(request, connection, streams)
            return dict(request)
        connection.close()
        for stream in streams:
            os.close(stream)


def imports_of(request: dict[str, Any]) -> list[str]:
    if "module" in request:
        return [request["imports"]]
    return [COMMANDS[request["command"]][1], *([MCP] if "mcp" in request["arguments"] else [])]


def guard(request: dict[str, Any], test: socket.socket, streams: list[int]) -> None:
    """Fork the process, and return in it; the guardian ends here."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid != 0:
        os.closerange(0, 3)
        for stream in streams:
            os.close(stream)
        report(pid, test)
    test.close()
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


def report(pid: int, test: socket.socket) -> NoReturn:
    """Send the process's id, and its exit code as soon as it ends; kill it if the test ends first."""

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
    request = serve(socket.socket(fileno=0))
    if "module" in request:
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    else:
        sys.modules["__main__"] = ModuleType("__main__")  # from which the usage takes the name of the command
        sys.argv = [request["command"], *request["arguments"]]
        sys.exit(importlib.import_module(COMMANDS[request["command"]][0]).main())


if __name__ == "__main__":
    main()

"""A command as tests start it, at a tenth of its costs: a fork server runs it, and this script stands for it.

Its name is that of the command, its folder has the server's socket, and it imports only the standard library.
"""

import contextlib
import json
import os
import signal
import socket
import struct
import sys

NUMBER = struct.Struct("!i")


def main() -> None:
    """Let the server run the command with this process's streams, folder and variables, and end as it does."""
    folder, name = os.path.split(sys.argv[0])
    request = {"command": name, "arguments": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(f"{folder}/server")
        send(server, request, [0, 1, 2])
        os.closerange(0, 3)
        pid = receive_number(server)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda received, _: os.kill(pid, received))
        end(receive_number(server))


def send(server: socket.socket, request: object, streams: list[int]) -> None:
    """Ask a fork server to start a process, with these descriptors as standard input, output and error."""
    text = json.dumps(request).encode()
    socket.send_fds(server, [NUMBER.pack(len(text))], streams)
    server.sendall(text)


def receive_number(connection: socket.socket) -> int:
    return int(NUMBER.unpack(connection.recv(NUMBER.size, socket.MSG_WAITALL))[0])


def end(code: int) -> None:
    """End with an exit code, or by the signal whose negative number it is."""
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()

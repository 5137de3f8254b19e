"""Processes of ours that tests fork from a server which has imported their code: the imports take over a second."""

import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from tests.forkserver import NUMBER
from tests.programs import spawn

CHECKOUT = Path(__file__).parents[1]
CLIENT = CHECKOUT / "clients" / "python" / "src"


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


def send(server: socket.socket, request: object, streams: list[int]) -> None:
    """Ask a fork server to start a process, with these descriptors as standard input, output and error."""
    text = json.dumps(request).encode()
    socket.send_fds(server, [NUMBER.pack(len(text))], streams)
    server.sendall(text)


def receive_number(connection: socket.socket) -> int:
    return int(NUMBER.unpack(connection.recv(NUMBER.size, socket.MSG_WAITALL))[0])


class ForkServer:
    """The server of this test process, which the first use starts, or that of another one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.folder: Path | None = None

    def share(self, folder: str) -> None:
        """Use the server of another process."""
        self.folder = Path(folder)

    def launch(self, module: str, imports: str, env: dict[str, str], output: int) -> Forked:
        """Run a module as `python -m` does, in a process that has imported `imports`; `output` is a descriptor."""
        guardian = socket.socket(socket.AF_UNIX)
        guardian.connect(str(self.started() / "server"))
        request = {"module": module, "imports": imports, "cwd": str(CHECKOUT), "env": env}
        with open(os.devnull, "rb") as nothing:
            send(guardian, request, [nothing.fileno(), output, output])
        return Forked(guardian)

    def started(self) -> Path:
        """Return the folder with the socket of the server."""
        with self.lock:
            if self.folder is None:
                self.folder = Path(tempfile.mkdtemp(prefix="forkserver-"))
                self.start(self.folder)
                atexit.register(self.end, self.folder)
        return self.folder

    def start(self, folder: Path) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "server"))
            listener.listen()
            command, env = [sys.executable, "-m", "tests.forkserver"], {**os.environ, "PYTHONPATH": str(CLIENT)}
            self.server = spawn(command, env=env, stdin=listener.fileno(), cwd=CHECKOUT)

    def end(self, folder: Path) -> None:
        self.server.kill()
        self.server.wait()
        shutil.rmtree(folder)


SERVER = ForkServer()

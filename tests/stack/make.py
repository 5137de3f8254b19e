"""The stack under test, changed by the commands that operators have."""

import os
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field

from deploy.compose.stack import Container, Stack
from deploy.local.server import CHECKOUT

SERVICES = {"haproxy": 1, "api": 2, "limiter": 1, "fanout": 2, "postgresql": 1, "valkey": 1}


@dataclass
class Board:
    """A running stack, and where it is reached."""

    stack: Stack
    url: str
    started: str = field(default="", repr=False)

    def make(self, command: str, *arguments: str, fails: bool = False) -> str:
        """Run a `make` target; return what it says, to the terminal and about its failure."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        environment = {**ours, **self.stack.configuration.environment}
        done = subprocess.run(
            ["make", command, *arguments], cwd=CHECKOUT, env=environment, text=True, timeout=600,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout

    def containers(self, service: str) -> list[Container]:
        return self.stack.containers(service)

    def now(self) -> str:
        """Return the engine's time, from which its events can be asked for."""
        return self.stack.docker("info", "--format", "{{.SystemTime}}").strip()

    def starts_and_ends(self, service: str, since: str) -> list[str]:
        """Return, in order, which containers of a service have started and ended: `start`, and `die` with the code."""
        labels = ("com.docker.compose.project=" + self.stack.configuration["COMPOSE_PROJECT_NAME"],
                  f"com.docker.compose.service={service}")  # fmt: skip
        filters = [f"label={label}" for label in labels] + ["event=start", "event=die"]
        options = [part for each in filters for part in ("--filter", each)]
        shown = '{{.Action}} {{index .Actor.Attributes "exitCode"}}'
        said = self.stack.docker("events", "--since", since, "--until", self.now(), *options, "--format", shown)
        return [line.strip() for line in said.splitlines()]

    def sql(self, statement: str, database: str = "agent_board") -> str:
        """Run a statement as PostgreSQL's superuser; return the rows, a line each."""
        command = ("psql", "--username=postgres", "--no-align", "--tuples-only", "--no-psqlrc", f"--dbname={database}")
        return self.stack.ask("exec", "-T", "postgresql", *command, f"--command={statement}").strip()

    def kill(self, container: Container) -> None:
        """End all processes of a container with SIGKILL, as a crash would; the engine starts it again by itself."""
        kill = "kill -KILL -1"
        done = subprocess.run(["docker", "exec", container.id, "sh", "-c", kill], capture_output=True, check=False)
        # The shell itself may be gone before it can say that all went well.
        assert done.returncode in (0, 137), done.stderr

    def until_restarted(self, killed: Container, seconds: float = 60) -> None:
        """Wait until the engine has started a container again."""
        deadline = time.monotonic() + seconds
        while not any(each.restarts > killed.restarts for each in self.containers(killed.service)):
            assert time.monotonic() < deadline, f"{killed.name} was not started again within {seconds} seconds"
            time.sleep(0.2)

    def until_well(self, seconds: float = 120) -> None:
        """Wait until every service has its replicas, and each of them is healthy."""
        deadline = time.monotonic() + seconds
        while (found := Counter(each.service for each in self.stack.containers() if each.well)) != SERVICES:
            assert time.monotonic() < deadline, f"not well after {seconds} seconds: {found}"
            time.sleep(0.5)

"""The stack under test, changed by the operators' commands."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.compose.configuration import defaults
from deploy.compose.secret_files import make_secrets
from deploy.compose.stack import Container, Stack
from deploy.environment import CHECKOUT

SERVICES = {"haproxy": 1, "api": 2, "limiter": 1, "fanout": 2, "postgresql": 1, "valkey": 1}

EVENT = '{{index .Actor.Attributes "com.docker.compose.service"}} {{.Action}} {{index .Actor.Attributes "exitCode"}}'


@dataclass
class Board:
    """A running stack and its address. `left` reports how a test has left it, if that is not as it was."""

    stack: Stack
    url: str
    started: str = field(default="", repr=False)
    checkout: Path = CHECKOUT
    left: str = ""

    def make(self, command: str, *arguments: str, fails: bool = False) -> str:
        """Run a `make` target; return its output, including error messages."""
        self.write_settings()
        done = subprocess.run(
            ["make", "--no-print-directory", command, *arguments], cwd=self.checkout, env=self.shell(), text=True,
            timeout=600, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout

    @contextmanager
    def begun(self, command: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        """Run a `make` target during the block, as in a terminal of its own; end it if the block has not."""
        self.write_settings()
        # a pipeline may have started the tests in the background, where programs ignore Ctrl-C
        words = ["env", "--default-signal=INT", "make", "--no-print-directory", command, *arguments]
        with subprocess.Popen(
            words, cwd=self.checkout, env=self.shell(), start_new_session=True, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as make:  # fmt: skip
            try:
                yield make
            finally:
                if make.poll() is None:
                    os.killpg(make.pid, signal.SIGTERM)
                    make.communicate(timeout=240)

    def shell(self) -> dict[str, str]:
        """Return the variables of an operator's shell: without those of a `make` that may have started the tests."""
        given = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        return {**given, "ENV_FILE": str(self.stack.configuration.file)}

    @contextmanager
    def settings(self, **changed: str) -> Iterator[None]:
        """Change settings of the stack during the block."""
        given, file = self.stack.configuration.environment, self.stack.configuration.file
        kept, before = file.read_text(), dict(given)
        given.update(changed)
        try:
            yield
        finally:
            given.clear()
            given.update(before)
            file.write_text(kept)

    def write_settings(self) -> None:
        """Write the test's settings where operators write theirs: commands read them only there."""
        make_secrets(self.stack.configuration)
        given, file = self.stack.configuration.environment, self.stack.configuration.file
        settings = {name: given[name] for name in defaults() if name in given}
        kept = [line for line in file.read_text().splitlines() if line.partition("=")[0] not in settings]
        lines = [f"{name}={value}" for name, value in settings.items()]
        file.write_text("\n".join([*kept, *lines, ""]))

    def containers(self, *services: str) -> list[Container]:
        return self.stack.containers(*services)

    @contextmanager
    def starts_and_ends(self) -> Iterator[dict[str, list[str]]]:
        """Record, at the end, the events of each service's containers: `start`, and `die` with the exit code."""
        project = self.stack.configuration["COMPOSE_PROJECT_NAME"]
        command = ["docker", "events", "--filter", f"label=com.docker.compose.project={project}",
                   "--filter", "event=start", "--filter", "event=die", "--format", EVENT]  # fmt: skip
        happened: dict[str, list[str]] = {}
        # Watched continuously: the engine remembers only the last few events, and health checks cause many.
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as events:
            try:
                yield happened
            finally:
                events.terminate()
                said, _ = events.communicate(timeout=30)
        for line in said.splitlines():
            service, _, event = line.strip().partition(" ")
            happened.setdefault(service, []).append(event)

    def sql(self, statement: str, database: str = "agent_board") -> str:
        """Run a statement as PostgreSQL's superuser; return the rows, one per line."""
        command = ("psql", "--username=postgres", "--no-align", "--tuples-only", "--no-psqlrc", f"--dbname={database}")
        return self.inside("postgresql", *command, f"--command={statement}").strip()

    def inside(self, service: str, *command: str) -> str:
        """Run a program in a service's only container; return its output."""
        [container] = self.containers(service)
        return self.stack.docker("exec", container.id, *command)

    def kill(self, container: Container) -> None:
        """Kill all processes of a container with SIGKILL, as in a crash; the engine restarts it by itself."""
        kill = "kill -KILL -1"
        done = subprocess.run(["docker", "exec", container.id, "sh", "-c", kill], capture_output=True, check=False)
        # The shell itself may be killed before it can report success.
        assert done.returncode in (0, 137), done.stderr

    def until_restarted(self, killed: Container, seconds: float = 120) -> None:
        """Wait until the engine restarts a container. It counts that before the container runs again."""
        deadline = time.monotonic() + seconds
        while (killed.id, killed.restarts) in {(each.id, each.restarts) for each in self.containers(killed.service)}:
            assert time.monotonic() < deadline, f"{killed.name} was not started again within {seconds} seconds"
            time.sleep(0.2)

    def well(self) -> Counter[str]:
        """Return how many containers of each service are healthy, without the monitoring."""
        return Counter(each.service for each in self.stack.containers(*SERVICES) if each.well)

    def until_well(self, seconds: float = 120) -> None:
        """Wait until every service has its replicas, and each of them is healthy."""
        deadline = time.monotonic() + seconds
        while (found := self.well()) != SERVICES:
            assert time.monotonic() < deadline, f"not well after {seconds} seconds: {found}"
            time.sleep(0.5)

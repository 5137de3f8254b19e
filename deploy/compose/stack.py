"""The stack as the engine sees it: commands of Compose, and the containers.

Output of the engine and of Compose reaches the operator unchanged; every failure becomes one sentence.
"""

import json
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError

COMPOSE_VERSION = (2, 26)
EVERYTHING = ("--profile", "*")
"""Also the services of profiles that COMPOSE_PROFILES does not name."""


@dataclass(frozen=True)
class Container:
    """A snapshot of one container of the stack."""

    id: str
    name: str
    service: str
    status: str
    health: str
    exit_code: int
    restarts: int
    image: str = ""
    config_hash: str = ""
    started: float = 0.0

    @property
    def well(self) -> bool:
        """Whether it is running and, if it has a health check, healthy."""
        return self.status == "running" and self.health in ("healthy", "")


class Stack:
    """The stack of this folder's compose.yaml. COMPOSE_FILE and COMPOSE_PROJECT_NAME in .env count, as in Compose."""

    def __init__(self, configuration: Configuration | None = None) -> None:
        self.configuration = configuration or Configuration()

    def compose(self, *arguments: str, given: str = "") -> None:
        """Run a Compose command whose messages go to the terminal, with a text as its input. Raises StackError."""
        command = self.command(*arguments)
        code = subprocess.run(command, env=self.environment(), cwd=DIRECTORY, input=given.encode()).returncode
        if code != 0:
            name = next(filter(str.isalpha, arguments))
            raise StackError(f"docker compose {name} failed (exit code {code}); its message is above.")

    def ask(self, *arguments: str, seconds: float = 60) -> str:
        """Run a Compose command and return its output. Raises StackError, with its error."""
        return self.answer(self.command(*arguments), seconds)

    def docker(self, *arguments: str, seconds: float = 60, errors: bool = False) -> str:
        """Run an engine command and return its output, with standard error if asked for. Raises StackError."""
        return self.answer(["docker", *arguments], seconds, subprocess.STDOUT if errors else subprocess.PIPE)

    def described(self, *options: str) -> dict[str, Any]:
        """Return what the files of Compose describe, with all settings filled in, by options such as EVERYTHING.

        Raises StackError.
        """
        described: dict[str, Any] = json.loads(self.ask(*options, "config", "--format", "json"))
        return described

    def runs(self, service: str) -> bool:
        """Return whether a service is part of this stack; with external.yaml, the stores are not. Raises StackError."""
        return service in self.described()["services"]

    @cached_property
    def project(self) -> str:
        """The name of the Compose project. Raises StackError."""
        return str(self.described()["name"])

    def containers(self, *services: str) -> list[Container]:
        """Return the containers of some services, or of all, oldest first. Raises StackError."""
        try:
            found = self.inspected()
        except StackError:
            # Another command may have removed one between the listing and the inspection.
            found = self.inspected()
        snapshots = [container(each) for each in sorted(found, key=lambda each: str(each["Created"]))]
        return [each for each in snapshots if not services or each.service in services]

    def inspected(self) -> list[dict[str, Any]]:
        """Return what the engine knows of each container but those of `compose run`. Raises StackError."""
        # Not with `compose ps`, which needs ten times as long: commands that wait ask again and again.
        labels = (f"label=com.docker.compose.project={self.project}", "label=com.docker.compose.oneoff=False")
        ids = self.docker("ps", "--all", "--quiet", *(part for each in labels for part in ("--filter", each))).split()
        return json.loads(self.docker("inspect", *ids)) if ids else []

    def discard(self, suffix: str) -> None:
        """Remove a container of `compose run`, if there is one whose name ends so."""
        with suppress(StackError):
            self.docker("rm", "--force", "--volumes", f"{self.project}-{suffix}")

    def check_engine(self) -> None:
        """Raise StackError unless an engine is available and Compose is new enough."""
        try:
            self.docker("version", "--format", "{{.Server.Version}}", seconds=20)
        except StackError as error:
            raise StackError(f"No container engine is available: {error}") from None
        try:
            found = self.answer(["docker", "compose", "version", "--short"], 20).strip()
        except StackError:
            found = "missing"
        numbers = re.match(r"v?(\d+)\.(\d+)", found)
        if not numbers or (int(numbers[1]), int(numbers[2])) < COMPOSE_VERSION:
            least = ".".join(map(str, COMPOSE_VERSION))
            raise StackError(
                f"Docker Compose {least} or newer is needed, and that of `docker compose version` is {found}. Install "
                "Docker's package docker-compose-plugin, or Debian's docker-compose."
            )

    def command(self, *arguments: str) -> list[str]:
        """Return the full command line of a Compose command."""
        env_file = ["--env-file", str(self.configuration.file)] if self.configuration.file.exists() else []
        return ["docker", "compose", *env_file, *arguments]

    def environment(self) -> dict[str, str]:
        """Return the environment for commands, which run in the folder of compose.yaml."""
        return {**self.configuration.environment, "COMPOSE_FILE": self.configuration["COMPOSE_FILE"]}

    def answer(self, command: list[str], seconds: float, errors: int = subprocess.PIPE) -> str:
        try:
            done = subprocess.run(
                command, env=self.environment(), cwd=DIRECTORY, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=errors, text=True, timeout=seconds,
            )  # fmt: skip
        except FileNotFoundError:
            raise StackError("the command docker is missing; install Docker Engine and Docker Compose.") from None
        except subprocess.TimeoutExpired:
            raise StackError(f"{' '.join(command[:3])} did not finish within {seconds:g} seconds.") from None
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
            raise StackError(f"{' '.join(command[:2])} failed: {telling(said)}")
        return done.stdout


def telling(said: Sequence[str]) -> str:
    """Return the line that names the error: PostgreSQL and pgBackRest let details and hints follow it."""
    return next((line for line in reversed(said) if "ERROR" in line), said[-1])


def container(inspected: dict[str, Any]) -> Container:
    state, labels = inspected["State"], inspected["Config"]["Labels"]
    return Container(
        id=inspected["Id"],
        name=inspected["Name"].lstrip("/"),
        service=labels["com.docker.compose.service"],
        status=state["Status"],
        health=state.get("Health", {}).get("Status", ""),
        exit_code=state["ExitCode"],
        restarts=inspected["RestartCount"],
        image=inspected["Image"],
        config_hash=labels.get("com.docker.compose.config-hash", ""),
        started=datetime.fromisoformat(state["StartedAt"]).timestamp(),
    )

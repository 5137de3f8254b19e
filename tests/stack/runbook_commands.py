"""The commands of the runbooks, as an operator of the stack types them: with values in the place of what is meant."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.compose.configuration import DIRECTORY
from deploy.environment import CHECKOUT
from tests.observability.test_runbooks import INDEX, PAGES
from tests.stack.make import Board

CODE = re.compile(r"```sh\n(.+?)```|`([^`]+)`", re.DOTALL)
PROGRAMS = ("agent-board ", "curl ", "docker ", "make ", "promtool ", "sql ")
# A board on which nothing is wrong has nothing to show, and the log of the service has what a backup reports.
QUIET = re.compile("grep|backup-now|logs --tail 50 backup|rm -rf")
# Names under which programs connect to PostgreSQL.
APPLICATIONS = {"agent-board operator", "agent-board migrate"}
ALIAS = re.compile("^alias (.+)='(.+)'$", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """A command as the runbooks have it, and the first runbook that has it."""

    text: str
    runbook: str


@dataclass(frozen=True)
class Outcome:
    """The output of a command, and the status of each program of its pipeline."""

    said: str
    statuses: tuple[int, ...]


def commands() -> list[Command]:
    """Return each command of the runbooks once, on one line unless it is a block."""
    found: dict[str, Command] = {}
    for file in PAGES:
        for block, span in CODE.findall(file.read_text()):
            text = block.strip() or " ".join(span.split())
            if text.startswith(PROGRAMS) and text not in APPLICATIONS:
                found.setdefault(text, Command(text, file.stem))
    return list(found.values())


def typed(text: str, project: str, values: Mapping[str, str]) -> str:
    """Return a command as it is typed: README.md of the runbooks explains how, and `values` stand for the rest."""
    for former, value in values.items():
        text = re.sub(rf"(?<![\w${{]){re.escape(former)}(?!\w)", value.replace("\\", r"\\"), text)
    # names of containers among the values begin with the project already
    known = re.escape(project.removeprefix("agent-board"))
    text = re.sub(rf"\bagent-board(?!{known})(?=[-_][a-z])", project, text)
    for alias, command in ALIAS.findall(INDEX.read_text()):
        text = re.sub(rf"(?<=\| ){alias} |^{alias} ", command.replace("\\", r"\\") + " ", text)
    return text


def trouble(board: Board, command: Command, values: Mapping[str, str], configuration: Path) -> str:
    """Run a command; return what is wrong with its outcome, or nothing."""
    outcome = run(board, typed(command.text, board.stack.project, values), configuration)
    last, quiet = outcome.statuses[-1:], QUIET.search(command.text) is not None
    good = not any(outcome.statuses[:-1]) and (last == (0,) or ("grep" in command.text and last == (1,)))
    return "" if good and (outcome.said or quiet) else f"{command}: {outcome.statuses} {outcome.said[-1000:]}"


def run(board: Board, command: str, configuration: Path) -> Outcome:
    """Run a command in a shell, in the folder that the README names, with a configuration folder of the client.

    Whatever asks is answered with yes.
    """
    is_make, env_file = command.startswith("make "), str(board.stack.configuration.file)
    shell = board.shell() if is_make else {**board.shell(), **board.stack.environment()}
    done = subprocess.run(
        ["bash", "-c", f"{command}\necho STATUS ${{PIPESTATUS[@]}}"], cwd=CHECKOUT if is_make else DIRECTORY,
        env={**shell, "COMPOSE_ENV_FILES": env_file, "DOCKER_CONFIG": str(configuration)}, text=True, timeout=400,
        check=False, input="y\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    said, _, statuses = done.stdout.rpartition("STATUS ")
    return Outcome(said.strip(), tuple(int(each) for each in statuses.split()))

"""Commands that take --json print one JSON object a line; its members are in the transcripts."""

import json
import re
from collections.abc import Iterator
from typing import Any

import click
import pytest
from typer.main import get_command

from services.operator.program import app
from tests.operator.conftest import Command
from tests.processes import CHECKOUT
from tests.transcripts.stage import transcripts

PAGE = CHECKOUT / "docs/operating.md"
# They answer for the server that they run on, or have members by the kind of object.
WITHOUT_TRANSCRIPT = {"doctor board", "doctor database", "noisy"}


def commands(group: Any, *above: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name, such as `limits set`."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group) or hasattr(command, "commands"):
            yield from commands(command, *above, name)
        else:
            yield " ".join((*above, name)), command


def all_commands() -> dict[str, click.Command]:
    return dict(commands(get_command(app)))


def documented() -> dict[str, set[str]]:
    """Return the members that the page explains, by their command."""
    section = PAGE.read_text().split("### JSON for programs")[1].split("\n## ")[0]
    items = re.findall(r"^- `([a-z ]+)`: (`\w+`(?: and `\w+`)*)", section, re.M)
    return {name: set(re.findall(r"`(\w+)`", members)) for name, members in items}


def with_json() -> set[str]:
    return {name for name, command in all_commands().items() if any("--json" in each.opts for each in command.params)}


def test_the_commands_without_a_transcript_are_documented() -> None:
    assert WITHOUT_TRANSCRIPT <= set(documented()) <= with_json()


def answers(name: str) -> Iterator[list[str]]:
    """Yield the members of each JSON object that a command prints in the transcripts."""
    text = "".join(path.read_text() for path in transcripts()).replace("<TIME>", "0")
    blocks = re.findall(rf"^\$ .*agent-board {name}\b(.*)\n((?:{{.*\n)*)", text, re.MULTILINE)
    for options, objects in blocks:
        if "--json" in options:
            yield from (list(json.loads(line)) for line in objects.splitlines())


@pytest.mark.parametrize("name", sorted(with_json() - WITHOUT_TRANSCRIPT))
def test_the_transcripts_show_the_members_of_each_command_and_the_documented_ones(name: str) -> None:
    shown = list(answers(name))
    assert shown
    assert documented().get(name, set()) <= set().union(*shown)


async def test_each_check_of_the_database_is_answered_with_its_documented_members(idle_command: Command) -> None:
    _, output, _ = await idle_command("doctor", "database", "--json")
    assert [set(json.loads(line)) for line in output.splitlines()] == [documented()["doctor database"]]

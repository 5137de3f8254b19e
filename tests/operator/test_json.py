"""Commands that take --json print one JSON object a line; its members are in the transcripts."""

import json
import re
from collections.abc import Iterator
from typing import Any

import click
import pytest
from typer.main import get_command

from services.operator.program import app
from tests.transcripts.stage import transcripts


def commands(group: Any, *above: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name, such as `limits set`."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group) or hasattr(command, "commands"):
            yield from commands(command, *above, name)
        else:
            yield " ".join((*above, name)), command


def all_commands() -> dict[str, click.Command]:
    return dict(commands(get_command(app)))


def with_json() -> list[str]:
    return [name for name, command in all_commands().items() if any("--json" in each.opts for each in command.params)]


def answers(name: str) -> Iterator[list[str]]:
    """Yield the members of each JSON object that a command prints in the transcripts."""
    text = "".join(path.read_text() for path in transcripts()).replace("<TIME>", "0")
    blocks = re.findall(rf"^\$ .*agent-board {name}\b(.*)\n((?:{{.*\n)*)", text, re.MULTILINE)
    for options, objects in blocks:
        if "--json" in options:
            yield from (list(json.loads(line)) for line in objects.splitlines())


@pytest.mark.parametrize("name", with_json())
def test_the_transcripts_show_the_members_of_each_command(name: str) -> None:
    assert list(answers(name))

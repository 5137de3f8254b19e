"""The changelog's table of changed commands gives commands that exist, with the arguments that they take."""

import re
import shlex
from typing import Any

import pytest
import typer.main

from services.operator.program import app
from tests.processes import CHECKOUT

UPGRADING = (CHECKOUT / "CHANGELOG.md").read_text().partition("### Upgrading\n")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| (.+?) \| (.+?) \|$", UPGRADING, re.MULTILINE)
NOW = [text for _, now in ROWS for text in re.findall(r"`(agent-board|make) ([^`]+)`", now)]
VALUES = {"ID": "1", "BATCH": "3fa9c1d2", "COUNT/SECONDS": "5/60", "NAME": "posts"}


def parsed(words: list[str]) -> dict[str, object]:
    """Return the parameters of a command of the operator. Raises an error of usage for one that it does not take."""
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    params: dict[str, object] = command.make_context("agent-board", words).params
    return params


def with_reason(command: Any, path: str) -> set[str]:
    """Return the commands of a group that take a reason."""
    if hasattr(command, "commands"):
        return {each for name, one in command.commands.items() for each in with_reason(one, f"{path} {name}")}
    return {path} if any("--reason" in each.opts for each in command.params) else set()


def test_every_command_that_takes_a_reason_is_listed() -> None:
    listed = {before.strip("`").rpartition(" REASON")[0].rpartition(" ")[0] for before, _ in ROWS}
    assert with_reason(typer.main.get_command(app), "agent-board") == listed - {""}


@pytest.mark.parametrize(("program", "words"), NOW)
def test_the_new_form_is_taken(program: str, words: str) -> None:
    given = [VALUES.get(word, word) for word in shlex.split(words)]
    if program == "make":
        assert re.search(f"^{given[0]}:", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
        return
    assert ("REASON" in parsed(given.copy()).values()) == ("--reason" in given)

"""The command refuses an empty option, argument or variable of its own: absence is spelled by leaving it out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from agent_board_client.cli import app
from tests.invoking import invoke
from tests.operator.test_json import commands

EMPTY = ("", " ", "\t", "\u00a0\n")
# Nothing listens there: a command that called a board would report it and exit with 1.
NOWHERE = "http://127.0.0.1:9"


def with_an_empty_value(above: list[str], command: Any, value: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield every option and argument of a command, with a command line in which its value is empty."""
    place = 0
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            yield parameter.metavar or parameter.name, way(parameter), [*above, *["1"] * place, value]
            place += 1
        elif not parameter.is_flag:
            yield parameter.opts[0], way(parameter), [*above, f"{parameter.opts[0]}={value}"]


def way(parameter: Any) -> str:
    """Return what the refusal advises: nothing if the parameter is needed."""
    return "" if parameter.required else "; leave it out"


def all_commands() -> dict[str, Any]:
    root: Any = get_command(app)
    return {"": root, **dict(commands(root))}


@pytest.mark.parametrize("name", all_commands())
def test_every_option_and_argument_refuses_an_empty_value(name: str, tmp_path: Path) -> None:
    env = {"AGENT_BOARD_URL": NOWHERE, "AGENT_BOARD_HOME": str(tmp_path)}
    table = [each for value in EMPTY for each in with_an_empty_value(name.split(), all_commands()[name], value)]
    for subject, advice, line in table:
        done = invoke(app, line, env=env)
        assert (done.exit_code, done.stdout) == (2, ""), line
        sentence = done.stderr.splitlines()[-1]
        assert sentence.endswith(f": the value is empty{advice}")
        assert subject in sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", EMPTY)
@pytest.mark.parametrize(
    ("variable", "status"), [("AGENT_BOARD_URL", 2), ("AGENT_BOARD_HOME", 1)]
)  # fmt: skip
def test_every_variable_of_the_command_refuses_an_empty_value(
    variable: str, status: int, value: str, tmp_path: Path
) -> None:
    env = {"AGENT_BOARD_URL": NOWHERE, "AGENT_BOARD_HOME": str(tmp_path), variable: value}
    done = invoke(app, ["whoami"], env=env)
    assert (done.exit_code, done.stdout) == (status, "")
    assert f"{variable} is empty" in done.stderr

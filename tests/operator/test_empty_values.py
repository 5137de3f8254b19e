"""An empty value chooses nothing and limits nothing: absence is spelled by leaving it out (interface 14.1)."""

import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from services.operator.program import app
from tests.invoking import invoke
from tests.operator.test_json import all_commands

EMPTY = ("", " ", "\t", "\u00a0\n")


def with_an_empty_value(name: str, command: Any, value: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield every option and argument of a command, with a command line in which its value is empty."""
    example = shlex.split(command.epilog.removeprefix("Example: agent-board ").partition(" < ")[0].strip("()"))
    options = [each for each in command.params if each.param_type_name == "option" and not each.is_flag]
    for option in options:
        for place in range(option.nargs):
            values = ["1h"] * option.nargs
            values[place] = value
            yield option.opts[0], way(option), [*example, option.opts[0], *values]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    for place, argument in enumerate(arguments):
        yield argument.metavar or argument.name.upper(), way(argument), [*name.split(), *["1"] * place, value]


def way(parameter: Any) -> str:
    """Return what the refusal advises: nothing if the parameter is needed."""
    return "" if parameter.required else "; leave it out"


TABLE = {
    name: [each for value in EMPTY for each in with_an_empty_value(name, command, value)]
    for name, command in all_commands().items()
}


@pytest.mark.parametrize("name", TABLE)
def test_every_option_and_argument_refuses_an_empty_value(name: str) -> None:
    for subject, advice, line in TABLE[name]:
        # A command that did anything would need this database.
        done = invoke(app, line, env={"DATABASE_URL": "postgresql://127.0.0.1:9/none"})
        assert (done.exit_code, done.stdout) == (2, ""), line
        sentence = done.stderr.splitlines()[-1]
        assert sentence.endswith(f": the value is empty{advice}")
        assert subject in sentence


def test_the_table_has_every_command_that_takes_a_value() -> None:
    without = {"limits show", "registration open", "registration closed",
               "doctor board", "doctor database", "migrate", "restore-point", "verify"}  # fmt: skip
    assert {name for name, lines in TABLE.items() if not lines} == without


@pytest.mark.parametrize("variable", ["DATABASE_URL", "DATABASE_URL_FILE", "AGENT_BOARD_OPERATOR"])
@pytest.mark.parametrize("value", EMPTY)
def test_an_empty_variable_chooses_no_board_and_no_name(module_database: str, variable: str, value: str) -> None:
    env = {"DATABASE_URL": None if variable == "DATABASE_URL_FILE" else module_database, variable: value}
    done = invoke(app, ["audit"], env=env)
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"{variable} is empty; leave it out.\n")

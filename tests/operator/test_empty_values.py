"""An empty value chooses nothing and limits nothing: absence is spelled by leaving it out (interface 14.1)."""

import pytest

from services.operator.commands import Command
from services.operator.program import app
from tests.invoking import invoke
from tests.operator.test_json import all_commands

EMPTY = ("", " ", "\t", "\u00a0\n")


def test_every_command_looks_for_empty_values() -> None:
    assert all(isinstance(command, Command) for command in all_commands().values())


@pytest.mark.parametrize("value", EMPTY)
def test_an_option_and_an_argument_refuse_an_empty_value(value: str) -> None:
    for subject, advice, line in (
        ("IDS", "", ["hide", "1", value, "--reason", "Spam."]),
        ("--reason", "", ["hide", "1", "--reason", value]),
        ("--named", "; leave it out", ["agents", "--named", value]),
        ("--since", "; leave it out", ["audit", "--since", value]),
        ("NAME", "", ["show", "agent", value]),
    ):
        # A command that did anything would need this database.
        done = invoke(app, line, env={"DATABASE_URL": "postgresql://127.0.0.1:9/none"})
        assert (done.exit_code, done.stdout) == (2, ""), line
        sentence = done.stderr.splitlines()[-1]
        assert sentence.endswith(f": the value is empty{advice}")
        assert subject in sentence


@pytest.mark.parametrize("variable", ["DATABASE_URL", "DATABASE_URL_FILE", "AGENT_BOARD_OPERATOR"])
@pytest.mark.parametrize("value", EMPTY)
def test_an_empty_variable_chooses_no_board_and_no_name(module_database: str, variable: str, value: str) -> None:
    env = {"DATABASE_URL": None if variable == "DATABASE_URL_FILE" else module_database, variable: value}
    done = invoke(app, ["audit"], env=env)
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"{variable} is empty; leave it out.\n")

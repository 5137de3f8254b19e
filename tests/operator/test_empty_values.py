"""An empty value chooses nothing and limits nothing: absence is spelled by leaving it out (interface 14.1)."""

import json
import shlex
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import asyncpg
import msgspec
import pytest
from typer.testing import CliRunner

from services.operator.orders import Order
from services.operator.program import app
from tests.operator import play
from tests.operator.conftest import Cast, Command
from tests.operator.test_json import all_commands

EMPTY = ("", " ", "\t", "\u00a0\n")
HIDE = {"action": "hide", "post": 1, "reason": "Off topic.", "category": "other"}
SUSPEND = {"action": "suspend", "agent": "Bob", "reason": "Floods.", "category": "other", "for": "7d"}


def with_an_empty_value(name: str, command: Any, value: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every option and argument of a command, with a command line in which its value is empty."""
    example = shlex.split(command.epilog.removeprefix("Example: agent-board ").partition(" < ")[0].strip("()"))
    options = [each for each in command.params if each.param_type_name == "option" and not each.is_flag]
    for option in options:
        for place in range(option.nargs):
            values = ["1h"] * option.nargs
            values[place] = value
            yield option.opts[0], [*example, option.opts[0], *values]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    for place, argument in enumerate(arguments):
        yield argument.metavar or argument.name.upper(), [*name.split(), *["1"] * place, value]


TABLE = [
    pytest.param(subject, line, id=f"{name} {subject} {value!r}")
    for value in EMPTY
    for name, command in all_commands().items()
    for subject, line in with_an_empty_value(name, command, value)
]


@pytest.mark.parametrize(("subject", "line"), TABLE)
def test_every_option_and_argument_refuses_an_empty_value(subject: str, line: list[str]) -> None:
    # A command that did anything would need this database.
    done = CliRunner().invoke(app, line, env={"DATABASE_URL": "postgresql://127.0.0.1:9/none"})
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    sentence = done.stderr.splitlines()[-1]
    assert sentence.endswith(": the value is empty; leave it out")
    assert subject in sentence


def test_the_table_has_every_command_that_takes_a_value() -> None:
    without = {"limits show", "registration show", "registration open", "registration closed", "fanout status",
               "doctor database", "migrate", "verify", "moderate"}  # fmt: skip
    lines: set[str] = {" ".join(words) for _, words in map(attrgetter("values"), TABLE)}
    assert {name for name in all_commands() if not any(f"{name} " in line for line in lines)} == without


@pytest.mark.parametrize("option", ["--author", "--text", "--community"])
async def test_an_emptied_filter_hides_nothing(
    board: asyncpg.Connection, cast: Cast, command: Command, option: str
) -> None:
    [(_, thread)] = await play.publish(board, play.Post(cast.alice))
    status, output, _ = await command("hide", "--since", "1h", option, "", "--reason", "Spam.", "--yes")
    assert (status, output) == (2, "")
    assert await board.fetchval("SELECT hidden FROM posts WHERE id = $1", thread) == 0
    assert await command("audit") == (0, "No operator has done anything yet.\n", "")


def emptied() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every member of an order without a value, in an order that is valid without it or with another value."""
    names: list[str] = [each.encode_name for each in msgspec.structs.fields(Order)]
    for whole in (HIDE, SUSPEND):
        for name in names:
            values: tuple[Any, ...] = (*EMPTY, None, [])
            yield from ((name, whole | {name: value}) for value in values)


async def test_every_member_of_an_order_refuses_an_empty_value(idle_command: Command) -> None:
    table = list(emptied())
    status, output, _ = await idle_command("moderate", stdin="\n".join(json.dumps(order) for _, order in table))
    answers = [json.loads(line) for line in output.splitlines()]
    assert (status, len(answers)) == (0, len(table))
    for (member, order), answer in zip(table, answers, strict=True):
        assert list(answer) == ["error"], (order, answer)
        assert member in answer["error"], (order, answer)
    assert await idle_command("audit") == (0, "No operator has done anything yet.\n", "")


async def test_an_emptied_period_suspends_nobody(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    lines = "\n".join(json.dumps(SUSPEND | {"for": value}) for value in ("", " ", None))
    _, output, _ = await command("moderate", stdin=lines)
    expected = {"error": "The line is no order: `for` is empty; leave it out"}
    assert [json.loads(line) for line in output.splitlines()][:2] == [expected, expected]
    assert await board.fetchval("SELECT count(*) FROM agents WHERE suspended_at IS NOT NULL") == 0


@pytest.mark.parametrize("variable", ["DATABASE_URL", "DATABASE_URL_FILE", "READ_DATABASE_URL", "AGENT_BOARD_OPERATOR"])
@pytest.mark.parametrize("value", EMPTY)
def test_an_empty_variable_chooses_no_board_and_no_name(module_database: str, variable: str, value: str) -> None:
    env = {"DATABASE_URL": None if variable == "DATABASE_URL_FILE" else module_database, variable: value}
    done = CliRunner().invoke(app, ["audit"], env=env)
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"{variable} is empty; leave it out.\n")

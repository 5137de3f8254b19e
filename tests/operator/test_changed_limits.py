"""agent-board limits (interface 6.1, 14.1), and the rate of announcements."""

import json

import asyncpg
import pytest

from services.board.access.rates import record_rates
from services.contract.limits import LIMITS, OPTIONAL_LIMITS, Rate
from tests.operator.conftest import Cast, Command

AUDIT = "SELECT string_agg(concat_ws(' ', who, action, subject, reason), ', ' ORDER BY id) FROM audit"
KINDS = "SELECT count(*) FROM changes WHERE kind = 'limit'"


async def record(board: asyncpg.Connection, posts: Rate) -> None:
    """Record the rates of the settings, as an API process does when it starts."""
    await record_rates(board, {limit.name: limit.rate for limit in LIMITS} | {"posts": posts})


async def test_a_rate_is_set_shown_and_reset(board: asyncpg.Connection, command: Command) -> None:
    for change in ("set posts 5/60", "set posts 5/60", "set votes 10000/86400"):
        await command("limits", *change.split())
    assert (await command("limits", "reset", "votes"))[1] == ("The limit votes is now that of the settings, unknown.\n")
    await record(board, Rate(20, 30))
    shown = [json.loads(line) for line in (await command("limits", "show", "--json"))[1].splitlines()]
    assert [row["name"] for row in shown] == [limit.name for limit in (*LIMITS, *OPTIONAL_LIMITS)]
    for _ in range(2):
        await command("limits", "reset", "posts")
    # it should audit and announce each change once
    actions = ("set posts 5/60", "set votes 10000/86400", "reset votes ", "reset posts ")
    assert await board.fetchval(AUDIT) == ", ".join(f"olga limits {action}" for action in actions)
    assert await board.fetchval(KINDS) == 5


async def test_the_rates_of_the_settings_are_recorded_once(board: asyncpg.Connection) -> None:
    for _ in range(3):
        await record(board, Rate(20, 30))
    assert await board.fetchval(KINDS) == 1
    await record(board, Rate(21, 30))
    assert await board.fetchval(KINDS) == 2
    assert await board.fetchval("SELECT count(*) FROM audit") == 0


async def test_announcements_obey_the_rate_of_the_board(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await command("operator", "alice")
    await record(board, Rate(3, 60))
    # whatever the shell of the operator exports
    command.env["LIMIT_POSTS"] = "100/1"
    for number in range(3):
        assert (await command("announce", "alice", "News", "A body."))[1] == f"Published as thread {number + 1}.\n"
    status, _, error = await command("announce", "alice", "News", "A body.")
    assert status == 1
    assert error.startswith(
        "alice has published 3 posts in the last 60 seconds, including announcements; try again in "
    )
    await command("limits", "set", "posts", "4/60")
    assert (await command("announce", "alice", "News", "A body."))[1] == "Published as thread 4.\n"


async def test_newcomers_have_a_limit_that_is_off_by_default(board: asyncpg.Connection, command: Command) -> None:
    await record(board, Rate(10, 60))
    for age in ("24h", "1d", "2d"):
        await command("limits", "set", "newcomers", "3/60", "--for", age)
    shown = json.loads((await command("limits", "show", "--json"))[1].splitlines()[-1])
    assert (shown["rate"], shown["setting"], shown["younger_than"]) == ("3/60", "off", 172800)
    await command("limits", "set", "newcomers", "3/60", "--for", "1d")
    await command("limits", "reset", "newcomers")
    assert json.loads((await command("limits", "show", "--json"))[1].splitlines()[-1])["rate"] == "off"
    sets = [f"set newcomers 3/60 for {seconds}s" for seconds in (86400, 172800, 86400)]
    actions = (*sets, "reset newcomers ")
    assert await board.fetchval(AUDIT) == ", ".join(f"olga limits {action}" for action in actions)


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (["newcomers", "3/60"], 2, "newcomers needs --for"),
        (["posts", "3/60", "--for", "24h"], 2, "no other limit takes it"),
        (["newcomers", "3/60", "--for", "0h"], 2, "give a duration, such as 30m"),
        (["newcomers", "11/60", "--for", "24h"], 1, "Newcomers may not be allowed more than others, who have 10/60"),
        (["newcomers", "5/30", "--for", "24h"], 1, "Newcomers may not be allowed more than others, who have 10/60"),
    ],
)
async def test_a_wrong_limit_on_newcomers_changes_nothing(
    board: asyncpg.Connection, command: Command, args: list[str], status: int, words: str
) -> None:
    await record(board, Rate(10, 60))
    found, output, error = await command("limits", "set", *args)
    assert (found, output) == (status, "")
    assert words in " ".join(error.replace("│", " ").split())
    assert await board.fetchval("SELECT count(*) FROM limits WHERE quota IS NOT NULL") == 0


async def test_a_refused_announcement_of_a_young_account_names_its_rate(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await record(board, Rate(10, 60))
    await command("operator", "alice")
    await command("limits", "set", "newcomers", "1/60", "--for", "24h")
    assert (await command("announce", "alice", "News", "Something is new."))[0] == 0
    _, _, error = await command("announce", "alice", "News", "Something else is new.")
    assert error.startswith("alice has published 1 post in the last 60 seconds")

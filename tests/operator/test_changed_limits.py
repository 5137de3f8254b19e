"""agent-board limits (interface 6.1, 14.1), and the rate of announcements."""

import json

import asyncpg

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

"""Whatever a command refuses because of a bound, its help states: no bound is learned only from a refusal."""

import re

import pytest

from services.contract.limits import LIMITS, OPTIONAL_LIMITS
from tests.operator.conftest import Command

LONG = ["--reason", "x" * 501]
# The arguments of a refused call, and the words for the bound that its refusal and its help must both have.
REFUSED: list[tuple[list[str], str]] = [
    (["limits", "set", "votes", "100000/60"], "1 to 10000 calls in"),
    (["limits", "set", "votes", "1/86401"], "1 to 86400 seconds"),
    (["limits", "set", "vote", "1/60"], "posts, votes, account, registrations, refused_registrations, failed_logins"),
    (["limits", "reset", "vote"], "board_registrations, newcomers"),
    (["limits", "set", "newcomers", "1/60", "--for", "11y"], "from 1s to ten years"),
    (["limits", "set", "newcomers", "1/60", "--for", "3651d"], "from 1s to ten years"),
    (["suspend", "alpha", "--for", "3651d"], "from 1s to ten years"),
    (["suspend", "alpha", "--for", "0s"], "from 1s to ten years"),
    (["suspend", "alpha", *LONG], "500"),
    (["hide", "1", *LONG], "500"),
    (["erase", "post", "1", *LONG, "--yes"], "500"),
    (["erase", "agent", "alpha", *LONG, "--yes"], "500"),
    (["token", "alpha", *LONG], "500"),
    (["announce", "alpha", "x" * 241, "x"], "240"),
    (["announce", "alpha", "x", "x" * 16001], "16000"),
    (["community", "sql", "x" * 241], "240"),
    (["undo", "x"], "8 hexadecimal digits"),
    (["audit", "--limit", "100001"], "100000"),
    (["agents", "--limit", "100001"], "100000"),
    (["fanout", "redeliver", "1", "2", "--partition", "16"], "15"),
    (["migration", "x" * 81], "1 to 80 lower-case letters, digits and underscores, a letter first"),
]  # fmt: skip


def on_one_line(text: str) -> str:
    return " ".join(re.sub("[│]", " ", text).split())


@pytest.mark.parametrize(("args", "bound"), REFUSED, ids=[" ".join(args)[:40] for args, _ in REFUSED])
async def test_a_bound_is_in_the_help_of_the_command_that_refuses(
    idle_command: Command, args: list[str], bound: str
) -> None:
    status, output, error = await idle_command(*args)
    assert status in (1, 2)
    assert output == ""
    assert bound in on_one_line(error)
    path = args[:2] if args[0] in ("limits", "erase", "fanout") else args[:1]
    assert bound in on_one_line((await idle_command(*path, "--help"))[1])


async def test_the_help_names_every_limit_and_those_that_need_an_age(idle_command: Command) -> None:
    shown = on_one_line((await idle_command("limits", "set", "--help"))[1])
    assert ", ".join(limit.name for limit in (*LIMITS, *OPTIONAL_LIMITS)) in shown
    assert "Needed for newcomers, and for no other limit" in shown
    assert "at most the COUNT that posts has, and at least its SECONDS" in shown
    for limit in (*LIMITS, *OPTIONAL_LIMITS):
        wrong = [] if limit.name == "newcomers" else ["--for", "1h"]
        assert (await idle_command("limits", "set", limit.name, "1/60", *wrong))[0] == 2

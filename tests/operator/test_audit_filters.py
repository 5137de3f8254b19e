"""agent-board audit: its filters (interface 14.1)."""

import re

import asyncpg

from tests.operator import play
from tests.operator.conftest import Cast, Command


async def lines(command: Command, *args: str) -> list[str]:
    """The lines of the audit without their times and batches."""
    status, output, _ = await command("audit", *args)
    assert status == 0
    return [re.sub(r"\[\w{8}\]", "[B]", line).partition("Z  ")[2] for line in output.splitlines()]


async def test_filters_choose_actions(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    post = await play.published(board, play.Post(cast.alice))
    await command("suspend", "alice", "--hide", "--reason", "Spam.")
    await command("suspend", "Bob", "--reason", "Floods.")
    command.env["AGENT_BOARD_OPERATOR"] = "ole"
    await command("unhide", str(post))
    assert await lines(command, "--subject", "bOB") == ["olga  suspend Bob  Floods.  [B]"]
    assert len(await lines(command, "--since", "1h")) == 3
    assert (await command("audit", "--since", "2999-01-01"))[1] == "No action matches.\n"
    # the actions of a batch that match are its line
    assert await lines(command, "--subject", "1") == ["ole  unhide 1  [B]", "olga  hide 1  Spam.  [B]"]

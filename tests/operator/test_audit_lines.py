"""agent-board audit: a line for each batch, filters, and their refusals (interface 14.1)."""

import json
import re

import asyncpg
import pytest

from tests.operator import play
from tests.operator.conftest import Cast, Command


@pytest.fixture
async def batch(board: asyncpg.Connection, cast: Cast, command: Command) -> str:
    """A batch of olga that suspended Alice and hid her post; then she suspended Bob, and ole unhid the post."""
    post = await play.published(board, play.Post(cast.alice))
    _, output, _ = await command("suspend", "alice", "--hide", "--reason", "Spam.")
    await command("suspend", "Bob", "--reason", "Floods.")
    command.env["AGENT_BOARD_OPERATOR"] = "ole"
    await command("unhide", str(post))
    return output.split()[1].strip(":")


async def lines(command: Command, *args: str) -> list[str]:
    """The lines of the audit without their times and batches."""
    status, output, _ = await command("audit", *args)
    assert status == 0
    return [re.sub(r"\[\w{8}\]", "[B]", line).partition("Z  ")[2] for line in output.splitlines()]


async def test_a_batch_is_one_line_with_its_count(batch: str, command: Command) -> None:
    shown = ["ole  unhide 1  [B]", "olga  suspend Bob  Floods.  [B]", "olga  hide, suspend: 2 actions  Spam.  [B]"]
    assert await lines(command) == shown
    assert await lines(command, "--batch", batch) == ["olga  hide 1  Spam.  [B]", "olga  suspend alice  Spam.  [B]"]
    assert (await command("audit", "--limit", "2"))[1].endswith("2 of 3 shown; --limit shows more.\n")
    # programs should get each action: a restore by hand needs them
    found = [json.loads(line) for line in (await command("audit", "--json"))[1].splitlines()]
    assert [(one["action"], one["subject"]) for one in found] == [
        ("unhide", "1"), ("suspend", "Bob"), ("hide", "1"), ("suspend", "alice")
    ]  # fmt: skip


async def test_filters_choose_actions(batch: str, command: Command) -> None:
    assert await lines(command, "--subject", "bOB") == ["olga  suspend Bob  Floods.  [B]"]
    assert len(await lines(command, "--since", "1h")) == 3
    assert (await command("audit", "--since", "2999-01-01"))[1] == "No action matches.\n"
    # the actions of a batch that match are its line
    assert await lines(command, "--subject", "1") == ["ole  unhide 1  [B]", "olga  hide 1  Spam.  [B]"]

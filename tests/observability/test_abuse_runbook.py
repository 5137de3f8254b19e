"""The runbook on abuse: its commands in their order, on a board with a wave, from the alert to a quiet board."""

import re
import shlex
import time

import asyncpg

from tests.observability.test_runbooks import RUNBOOKS
from tests.operator import play
from tests.operator.conftest import Cast, Command, board, board_url, cast, command

__all__ = ["board", "board_url", "cast", "command"]
ABUSE = RUNBOOKS / "Abuse.md"
SPAMMERS, HONEST = 80, 100
CLEAN_SECONDS = 120
IN_SIGHT = "SELECT count(*) FILTER (WHERE author LIKE 'smith%') AS spam, count(*) FROM posts WHERE visible"
HIDDEN_HONEST = "SELECT count(*) FROM posts WHERE hidden <> 0 AND author NOT LIKE 'smith%'"
WRITE = "UPDATE posts SET body = $1 WHERE author LIKE $2"


def line(beginning: str) -> str:
    """Return the shortest command line of the runbook that begins like this, outside of blocks."""
    text = " ".join(ABUSE.read_text().split())
    lines: list[str] = re.findall(r"`(agent-board [^`]+)`", text)
    return min((each for each in lines if each.startswith(beginning)), key=len)


async def typed(command: Command, text: str) -> tuple[int, str]:
    """Run a command line, with a pipe or without; return the exit status and the output of its last command."""
    status, output = 0, ""
    for part in text.split(" | "):
        status, output, _ = await command(*shlex.split(part)[1:], stdin=output)
    return status, output


async def test_its_commands_lead_to_a_quiet_board_and_back(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    for number in range(max(SPAMMERS, HONEST)):
        for name in ["smith"] * (number < SPAMMERS) + ["honest"] * (number < HONEST):
            await play.published(board, play.Post(await play.register(board, f"{name}_{number}")))
    await board.execute(WRITE, "Buy now at https://gold.example!", "smith%")
    await board.execute(WRITE, "Who knows https://docs.example?", "honest_1%")
    began = time.monotonic()
    _, page = await typed(command, line("agent-board noisy --since"))
    assert "--names gold.example" in page
    assert "50 of 80 shown" in (await typed(command, line("agent-board posts --since 1h")))[1]
    assert (await typed(command, line("agent-board freeze --reason")))[1].startswith("Writing is now frozen until ")
    for step in ("limits set registrations", "registration closed", "limits set newcomers"):
        assert (await typed(command, line(f"agent-board {step}")))[0] == 0
    suspend = line("agent-board agents --young 2h --named 'smith_*' --plain")
    listed = suspend.partition(" --plain")[0]
    assert len((await typed(command, f"{listed} --limit 1000"))[1].splitlines()) == 1 + SPAMMERS
    assert f"{2 * SPAMMERS} changed." in (await typed(command, suspend))[1]
    assert time.monotonic() - began < CLEAN_SECONDS
    assert tuple(await board.fetchrow(IN_SIGHT)) == (0, HONEST)
    assert await board.fetchval(HIDDEN_HONEST) == 0
    assert (await typed(command, suspend))[1] == f"Nothing was changed: {SPAMMERS} already so.\n"
    # an honest post that was hidden by mistake, and the whole batch
    assert len((await typed(command, line("agent-board posts --hidden")))[1].splitlines()) == 52
    (batch,) = set(re.findall(r"\[([0-9a-f]{8})\]", (await typed(command, line("agent-board audit --since")))[1]))
    _, profiles = await typed(command, line("agent-board agents --batch").replace("BATCH", batch))
    assert len(profiles.splitlines()) == SPAMMERS + 3
    assert (await typed(command, line("agent-board undo").replace("BATCH", batch)))[0] == 0
    assert tuple(await board.fetchrow(IN_SIGHT)) == (SPAMMERS, SPAMMERS + HONEST)
    for step in ("thaw", "limits reset registrations", "limits reset newcomers", "registration open"):
        assert (await typed(command, line(f"agent-board {step}")))[0] == 0

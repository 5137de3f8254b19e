"""The runbook on abuse: its commands in their order, on a board with a wave, from the alert to a quiet board."""

import json
import re
import shlex

import asyncpg

from tests.observability.test_runbooks import RUNBOOKS
from tests.operator import play
from tests.operator.conftest import Cast, Command, board, board_url, cast, command

__all__ = ["board", "board_url", "cast", "command"]
ABUSE = RUNBOOKS / "Abuse.md"
IN_SIGHT = "SELECT array_agg(DISTINCT author ORDER BY author) FROM posts WHERE visible"


def arguments(beginning: str) -> list[str]:
    """Return the arguments of the command of the runbook that begins like this, outside of blocks."""
    text = " ".join(ABUSE.read_text().split())
    (found,) = {each for each in re.findall(r"agent-board ([^`|]+?) ?[`|]", text) if each.startswith(beginning)}
    return shlex.split(found)


async def test_its_commands_lead_to_a_quiet_board_and_back(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await play.published(board, play.Post(cast.alice))
    for number in range(12):
        await play.published(board, play.Post(await play.register(board, f"smith_{number}")))
    await board.execute("UPDATE posts SET body = 'Buy now!' WHERE author LIKE 'smith%'")
    rows = [json.loads(line) for line in (await command(*arguments("noisy --since"), "--json"))[1].splitlines()]
    by_text, _ = (row["command"] for row in rows if row["number"] == 12 and row["kind"].startswith("alike"))
    preview = (await command(*shlex.split(by_text)[1:]))[1]
    assert preview.startswith("Would suspend 12 agents and hide 12 posts. ")
    assert len((await command(*arguments("agents --young")))[1].splitlines()) == 13
    assert len((await command(*arguments("posts --since 1h")))[1].splitlines()) == 13
    assert (await command(*arguments("freeze --reason")))[1].startswith("Writing is now frozen until ")
    for step in ("limits set registrations", "registration closed", "limits set newcomers"):
        assert (await command(*arguments(step)))[0] == 0
    suspend = arguments("suspend --registered")
    assert (await command(*suspend))[1].startswith("Would suspend 12 agents and hide 12 posts. ")
    assert (await command(*suspend, "--yes"))[0] == 0
    assert await board.fetchval(IN_SIGHT) == ["alice"]
    assert (await command(*suspend, "--yes"))[1] == "There is nothing to do: 12 already so.\n"
    # an honest post that was hidden by mistake, and the whole batch
    assert len((await command(*arguments("posts --hidden")))[1].splitlines()) == 13
    (batch,) = set(re.findall(r"\[([0-9a-f]{8})\]", (await command(*arguments("audit --since")))[1]))
    assert (await command("undo", batch, "--yes"))[0] == 0
    assert len(await board.fetchval(IN_SIGHT)) == 13
    for step in ("thaw", "limits reset registrations", "limits reset newcomers", "registration open"):
        assert (await command(*arguments(step)))[0] == 0

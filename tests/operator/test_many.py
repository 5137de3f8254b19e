"""agent-board on many posts and agents at once: standard input, batches, what is refused, and undo (interface 14.1)."""

import json
import re
from typing import Any

import asyncpg
import pytest

from services.board.moderation import hiding, suspensions
from tests.operator import play
from tests.operator.conftest import Cast, Command

HIDDEN = "SELECT array_agg(id ORDER BY id) FROM posts WHERE hidden <> 0"
SUSPENDED = "SELECT array_agg(name ORDER BY name) FROM agents WHERE suspended_at IS NOT NULL"
SMITHS = ("smith_1", "smith_2", "smith_3")
SPAM = "Spam."
REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
CREATE TRIGGER refuse BEFORE UPDATE ON posts FOR EACH ROW WHEN (OLD.id = %s) EXECUTE FUNCTION refuse()
"""


@pytest.fixture
async def smiths(board: asyncpg.Connection, cast: Cast) -> list[int]:
    """Three threads of agents named smith_1 to smith_3, a reply of Bob below the first, and a thread of Alice."""
    tokens = [await play.register(board, name) for name in SMITHS]
    threads = [await play.published(board, play.Post(token)) for token in tokens]
    reply = await play.published(board, play.Post(cast.bob, parent=threads[0]))
    return [*threads, reply, await play.published(board, play.Post(cast.alice))]


def batch_of(output: str) -> str:
    found = re.search(r"Batch ([0-9a-f]{8}): ", output)
    assert found is not None, output
    return found[1]


async def test_a_batch_hides_suspends_and_is_reversed_in_one(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    before = await board.fetch("SELECT * FROM posts ORDER BY id")
    tallies = await board.fetch("SELECT * FROM agents ORDER BY id")
    status, output, _ = await command("suspend", *SMITHS, "--hide", "--reason", SPAM)
    batch = batch_of(output)
    assert (status, output) == (0, f"Batch {batch}: 6 changed. `agent-board undo {batch}` reverses it.\n")
    assert await board.fetchval(HIDDEN) == smiths[:3]
    assert await board.fetchval(SUSPENDED) == list(SMITHS)
    # the audit should have an entry for each, under one batch
    entries = [json.loads(line) for line in (await command("audit", "--json"))[1].splitlines()]
    assert {(entry["batch"], entry["who"], entry["reason"]) for entry in entries} == {(batch, "olga", SPAM)}
    assert len(entries) == 6
    assert (await command("undo", batch))[0] == 0
    assert await board.fetch("SELECT * FROM posts ORDER BY id") == before
    assert await board.fetch("SELECT * FROM agents ORDER BY id") == tallies
    # and only once
    status, _, error = await command("undo", batch)
    assert status == 1
    assert error.splitlines()[0].startswith(f"Post {smiths[2]}: Skipped: olga did unhide at ")
    assert error.splitlines()[-1] == "Nothing was changed: there is nothing left to reverse in this batch."


@pytest.mark.parametrize("as_json", [True, False])
async def test_what_fails_among_many_is_named_and_has_a_status_of_its_own(
    board: asyncpg.Connection, command: Command, smiths: list[int], as_json: bool
) -> None:
    await board.execute(REFUSE % smiths[1])
    ids = [str(one) for one in smiths[:3]]
    status, output, error = await command("hide", *ids, "--reason", SPAM, *["--json"] * as_json)
    assert await board.fetchval(HIDDEN) == [smiths[0], smiths[2]]
    assert (status, "2 changed, 1 refused. " in error) == (3, True)
    sentence = "The database refused the change (RaiseError); nothing was changed."
    if as_json:
        assert [json.loads(line)["error"] for line in output.splitlines()] == [None, sentence, None]
    else:
        assert (output, error.splitlines()[0]) == ("", f"Post {smiths[1]}: {sentence}")
    # where it is all, nothing was changed
    assert await command("hide", ids[1], "--reason", SPAM) == (1, "", f"{sentence}\n")
    status, _, error = await command("hide", *ids, "--reason", SPAM)
    assert (status, error.splitlines()[1]) == (1, "Nothing was changed: 2 already so, 1 refused.")


async def test_a_long_thread_that_is_not_shown_yet_has_the_status_of_what_is_not_all_done(
    board: asyncpg.Connection, cast: Cast, command: Command, smiths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    thread, reply = smiths[0], smiths[3]
    await play.published(board, play.Post(cast.carol, parent=thread))
    await command("hide", str(thread), "--reason", SPAM)
    monkeypatch.setattr(hiding, "REPLIES_PER_STEP", 1)
    # the newest reply is counted first
    await board.execute(REFUSE % reply)
    status, output, error = await command("unhide", str(thread))
    assert (status, output) == (3, "")
    assert error.startswith(f"Thread {thread} is not shown yet: the database failed (RaiseError) ")
    # the same command should complete it
    await board.execute("DROP FUNCTION refuse() CASCADE")
    assert await command("unhide", str(thread)) == (0, f"Post {thread} is now not hidden.\n", "")


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("stdin", [b"", b"\n \n", BOM, BOM + b"\r\n"])
async def test_nothing_is_an_empty_input(idle_command: Command, stdin: bytes) -> None:
    for action in (["unhide"], ["suspend", "--reason", SPAM], ["hide", "--reason", SPAM]):
        status, output, error = await idle_command(*action, "-", stdin=stdin)
        assert (status, output) == (2, "")
        assert "standard input is empty; nothing was changed" in " ".join(error.replace("│", " ").split())


async def test_a_batch_that_was_interrupted_goes_on(
    board: asyncpg.Connection, command: Command, smiths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []

    async def interrupted(*args: Any) -> Any:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(await hide(*args))
        return done[-1]

    hide, ids = hiding.hide, [str(one) for one in smiths]
    with monkeypatch.context() as patch:
        patch.setattr(hiding, "hide", interrupted)
        assert (await command("hide", *ids, "--reason", SPAM))[0] == 130
    assert await board.fetchval(HIDDEN) == smiths[:2]
    status, output, _ = await command("hide", *ids, "--reason", SPAM)
    assert (status, "3 changed, 2 already so." in output) == (0, True)
    assert await board.fetchval(HIDDEN) == smiths


async def test_posts_that_come_before_the_suspension_are_hidden_too(
    board: asyncpg.Connection, command: Command, smiths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def publishing(connection: asyncpg.Connection, *args: Any) -> Any:
        token = await connection.fetchval("SELECT token_hash FROM agents WHERE name = 'smith_1'")
        smiths.append(await play.published(connection, play.Post(token)))
        return await suspend(connection, *args)

    suspend = suspensions.suspend
    monkeypatch.setattr(suspensions, "suspend", publishing)
    assert (await command("suspend", "smith_1", "--hide", "--reason", SPAM))[0] == 0
    assert await board.fetchval(HIDDEN) == [smiths[0], smiths[-1]]

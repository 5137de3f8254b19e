"""agent-board on many posts and agents at once: choices, previews, batches, undo and moderate (interface 14.1)."""

import json
import re
from typing import Any

import asyncpg
import pytest

from services.operator import orders
from tests.operator import play
from tests.operator.conftest import Cast, Command

HIDDEN = "SELECT array_agg(id ORDER BY id) FROM posts WHERE hidden <> 0"
SUSPENDED = "SELECT array_agg(name ORDER BY name) FROM agents WHERE suspended_at IS NOT NULL"
SPAM = "Spam."


@pytest.fixture
async def smiths(board: asyncpg.Connection, cast: Cast) -> list[int]:
    """Three threads of agents named smith_1 to smith_3, a reply of Bob below the first, and a thread of Alice."""
    tokens = [await play.register(board, f"smith_{number}") for number in (1, 2, 3)]
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
    status, output, _ = await command("suspend", "--named", "smith_*", "--hide", "--reason", SPAM, "--yes")
    assert (status, output) == (
        0, f"Batch {batch_of(output)}: 6 changed. `agent-board undo {batch_of(output)} --yes` reverses it.\n",
    )  # fmt: skip
    assert await board.fetchval(HIDDEN) == smiths[:3]
    assert await board.fetchval(SUSPENDED) == ["smith_1", "smith_2", "smith_3"]
    # the audit should have an entry for each, under one batch
    entries = [json.loads(line) for line in (await command("audit", "--json"))[1].splitlines()]
    assert {(entry["batch"], entry["who"], entry["reason"]) for entry in entries} == {(batch_of(output), "olga", SPAM)}
    assert len(entries) == 6
    assert (await command("undo", batch_of(output), "--yes"))[0] == 0
    assert await board.fetch("SELECT * FROM posts ORDER BY id") == before
    assert await board.fetch("SELECT * FROM agents ORDER BY id") == tallies
    # and only once
    status, _, error = await command("undo", batch_of(output), "--yes")
    assert status == 1
    assert error.splitlines()[0].startswith(f"{smiths[2]}: Skipped: olga did unhide at ")
    assert error.splitlines()[-1] == "Nothing was changed: there is nothing left to reverse in this batch."


BOM = b"\xef\xbb\xbf"


async def test_a_byte_order_mark_is_no_part_of_an_id_a_name_or_an_order(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    first, second = (b"%d" % one for one in smiths[:2])
    # before the first line, before every line of joined files, and one after the other of files without any line
    for ids in (BOM + first + b"\r\n" + second, BOM + first + b"\n" + BOM + second, BOM + b"\n" + BOM * 2 + first):
        assert (await command("hide", "-", "--reason", SPAM, "--yes", stdin=ids))[0] == 0
        assert set(await board.fetchval(HIDDEN)) >= {smiths[0]}
        assert (await command("unhide", "-", "--yes", stdin=BOM + first + b"\n" + second))[0] == 0
        assert await board.fetchval(HIDDEN) is None
    for action in ("suspend", "restore"):
        assert (await command(action, "-", "--yes", stdin=BOM + b"smith_1\r\nsmith_2\r\n"))[0] == 0
        assert await board.fetchval(SUSPENDED) == (["smith_1", "smith_2"] if action == "suspend" else None)
    given = [b'{"action": "hide", "post": %b, "reason": "Spam."}' % one for one in (first, second)]
    answers = (await command("moderate", stdin=BOM + given[0] + b"\r\n" + BOM + given[1] + b"\n" + BOM))[1].splitlines()
    assert [(json.loads(line)["changed"], json.loads(line)["error"]) for line in answers] == [(True, None)] * 2


@pytest.mark.parametrize("stdin", [BOM, BOM + b"\r\n"])
async def test_a_mark_alone_is_an_empty_input(idle_command: Command, stdin: bytes) -> None:
    for action in (["unhide"], ["suspend", "--reason", SPAM], ["hide", "--reason", SPAM]):
        status, output, error = await idle_command(*action, "-", stdin=stdin)
        assert (status, output) == (2, "")
        assert "standard input is empty; nothing was changed" in " ".join(error.replace("│", " ").split())
    assert await idle_command("moderate", stdin=stdin) == (0, "", "")


async def test_undo_names_ten_of_many_that_it_skips(board: asyncpg.Connection, command: Command, cast: Cast) -> None:
    posts = [str(await play.published(board, play.Post(cast.alice))) for _ in range(12)]
    batch = batch_of((await command("hide", *posts, "--reason", SPAM, "--yes"))[1])
    await command("unhide", *posts, "--yes")
    status, _, error = await command("undo", batch, "--yes")
    assert (status, error.count("Skipped: olga did unhide"), "Skipped 12 in all.\n" in error) == (1, 10, True)


async def test_a_preview_shows_the_oldest_and_the_newest(
    board: asyncpg.Connection, command: Command, cast: Cast
) -> None:
    posts = [await play.published(board, play.Post(cast.alice)) for _ in range(12)]
    _, output, _ = await command("hide", "--since", "1h", "--reason", SPAM)
    assert output.startswith("Would hide 12 posts. --yes does it. Examples, the oldest five and the newest five:\n\nID")
    assert [int(line.split()[0]) for line in output.splitlines()[3:]] == [*posts[:5], *posts[-5:]]
    names = [f"smith_{number:02}" for number in range(12)]
    for name in names:
        await play.register(board, name)
    _, output, _ = await command("suspend", *reversed(names), "--reason", SPAM, "--json")
    shown = [json.loads(line) for line in output.splitlines()]
    assert [line["name"] for line in shown[1:]] == [*names[:5], *names[-5:]]


async def test_a_batch_that_was_interrupted_goes_on(
    board: asyncpg.Connection, command: Command, smiths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []

    async def interrupted(*args: Any) -> Any:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(await execute(*args))
        return done[-1]

    execute = orders.attempt
    with monkeypatch.context() as patch:
        patch.setattr(orders, "attempt", interrupted)
        assert (await command("hide", "--since", "1h", "--reason", SPAM, "--yes"))[0] != 0
    assert await board.fetchval(HIDDEN) == smiths[:2]
    assert (await command("hide", "--since", "1h", "--reason", SPAM, "--yes"))[0] == 0
    assert await board.fetchval(HIDDEN) == smiths


async def test_suspending_goes_on_with_the_posts_of_agents_that_are_suspended(
    board: asyncpg.Connection, command: Command, smiths: list[int]
) -> None:
    chosen = ("suspend", "--named", "smith_*", "--hide", "--reason", SPAM, "--yes")
    await command("suspend", "smith_1", "smith_2", "smith_3", "--reason", SPAM, "--yes")
    await command("hide", str(smiths[0]), "--reason", SPAM)
    status, output, _ = await command(*chosen)
    assert (status, "2 changed, 3 already so." in output) == (0, True)
    assert await board.fetchval(HIDDEN) == smiths[:3]
    assert await command(*chosen) == (0, "There is nothing to do: 3 already so.\n", "")


async def test_registered_chooses_by_time(board: asyncpg.Connection, command: Command, smiths: list[int]) -> None:
    await board.execute("UPDATE agents SET created = created - interval '90 minutes' WHERE name LIKE 'smith%'")
    assert (await command("suspend", "--registered", "2h", "1h", "--reason", SPAM, "--yes"))[0] == 0
    await board.execute("UPDATE agents SET created = created + interval '90 minutes' WHERE name LIKE 'smith%'")
    assert await board.fetchval(SUSPENDED) == ["smith_1", "smith_2", "smith_3"]


async def test_one_line_of_standard_input_is_a_choice(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    post = await play.published(board, play.Post(cast.alice))
    for action, given, why in (
        ("hide", str(post), SPAM), ("unhide", str(post), ""), ("suspend", "bob", SPAM), ("restore", "bob", ""),
    ):  # fmt: skip
        reason = ("--reason", why) if why else ()
        if not why:
            await command("hide" if action == "unhide" else "suspend", given, "--reason", SPAM)
        before = await board.fetchval("SELECT max(id) FROM audit")
        status, output, _ = await command(action, "-", *reason, stdin=given)
        noun = "post" if given == str(post) else "agent"
        assert (status, output.startswith(f"Would {action} 1 {noun}. --yes does it.")) == (0, True), output
        assert await board.fetchval("SELECT max(id) FROM audit") == before
    # with --hide, an agent without posts is one order
    output = (await command("suspend", "carol", "--hide", "--reason", SPAM))[1]
    assert output.startswith("Would suspend 1 agent. --yes does it.")

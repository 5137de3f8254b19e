"""Every command prints one JSON object a line with --json; its members are documented."""

import json
import re
from collections.abc import Iterator
from typing import Any

import asyncpg
import click
import pytest
import typer.main

from services.operator.program import app
from tests.operator import play
from tests.operator.conftest import Cast, Command
from tests.processes import CHECKOUT

PAGE = CHECKOUT / "docs/operating.md"
# It answers in JSON without the option.
ALWAYS = {"moderate"}


def commands(group: Any, *above: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name, such as `limits set`."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group) or hasattr(command, "commands"):
            yield from commands(command, *above, name)
        else:
            yield " ".join((*above, name)), command


def all_commands() -> dict[str, click.Command]:
    return dict(commands(typer.main.get_command(app)))


def documented() -> dict[str, list[str]]:
    """Return the members that the page names for each command."""
    section = PAGE.read_text().split("### JSON for programs")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[a-z` ,]+) \| (.+?) \|$", section, re.M)
    return {
        name: re.findall(r"`(\w+)`", members.split(";")[0])
        for names, members in rows
        for name in re.findall("`([a-z ]+)`", names)
    }


def test_every_command_takes_json_and_is_documented() -> None:
    found = all_commands()
    without = {name for name, command in found.items() if "--json" not in [o for p in command.params for o in p.opts]}
    assert without == ALWAYS
    assert set(documented()) == set(found)


async def answer(command: Command, *args: str) -> list[dict[str, Any]]:
    """Return the objects that a command prints; each should have the documented members, in their order."""
    status, output, _ = await command(*args, "--json")
    assert status == 0, output
    rows = [json.loads(line) for line in output.splitlines()]
    name = " ".join(args[:2]) if " ".join(args[:2]) in documented() else args[0]
    for row in rows:
        assert list(row) == documented()[name], name
    return rows


async def test_changes_are_answered_with_their_documented_members(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    assert await answer(command, "operator", "ALICE") == [{"agent": "alice", "operator": True, "changed": True}]
    assert await answer(command, "announce", "alice", "News", "A body.") == [{"thread": 1}]
    assert await answer(command, "community", "sql", "Databases.") == [{"community": "sql", "outcome": "made"}]
    assert await answer(command, "community", "SQL", "Databases.") == [{"community": "sql", "outcome": "unchanged"}]
    (issued,) = await answer(command, "token", "BOB", "Proved by a file.")
    assert (issued["agent"], issued["token"][:4]) == ("Bob", "agb_")
    assert await answer(command, "limits", "set", "posts", "5/60") == [
        {"name": "posts", "rate": "5/60", "changed": True}
    ]
    assert await answer(command, "limits", "reset", "posts") == [{"name": "posts", "rate": "unknown", "changed": True}]
    assert await answer(command, "fanout", "redeliver", "1", "9") == [{"delivered": 0}]
    for action, subject in (("hide", "1"), ("unhide", "1"), ("suspend", "Bob"), ("restore", "Bob")):
        (done,) = await answer(command, action, subject, *(["--reason", "Spam."] if action == "hide" else []))
        assert (done["action"], done["changed"], done["error"]) == (action, True, None)
    await answer(command, "undo", done["batch"], "--yes")


async def test_reads_are_answered_with_their_documented_members(
    board: asyncpg.Connection, cast: Cast, command: Command
) -> None:
    await play.published(board, play.Post(cast.alice))
    assert await answer(command, "verify") == [{"posts": 1, "events": 0, "wrong": []}]
    progress = await answer(command, "fanout", "status")
    assert [row["follower"] for row in progress] == ["inboxes"] * 16 + ["search", "log"]
    assert {(row["last_id"], row["behind"], row["age"] > 0) for row in progress} == {(0, 1, True)}
    await command("suspend", "Bob")
    for args in (["agents"], ["posts"], ["audit"], ["limits", "show"], ["show", "agent", "Bob"], ["show", "post", "1"]):
        assert await answer(command, *args)
    (migrated,) = await answer(command, "migrate")
    assert re.fullmatch(r"\w+, functions [0-9a-f]{12}", migrated["revision"])


async def test_what_verify_finds_is_an_object_too(board: asyncpg.Connection, cast: Cast, command: Command) -> None:
    await play.published(board, play.Post(cast.alice))
    await board.execute("UPDATE posts SET body = 'Altered.'")
    status, output, error = await command("verify", "--json")
    assert (status, json.loads(output)) == (
        1, {"posts": 1, "events": 0, "wrong": ["Post 1 does not match its receipt."]},
    )  # fmt: skip
    assert error == "Post 1 does not match its receipt.\n"


@pytest.mark.parametrize("args", [["operator", "dora"], ["token", "dora", "Proved."], ["limits", "set", "posts", "x"]])
async def test_a_refusal_is_a_sentence_on_standard_error(idle_command: Command, args: list[str]) -> None:
    status, output, error = await idle_command(*args, "--json")
    assert status in (1, 2)
    assert output == ""
    assert error

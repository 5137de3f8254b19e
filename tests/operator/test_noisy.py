"""agent-board noisy: young accounts, their hosts and bursts of registrations, and waves (interface 14.1)."""

import json
import shlex
from typing import Any

import asyncpg

from tests.operator import play
from tests.operator.conftest import Command

# Every spelling leads a browser to wave.example.
SPELLINGS = (
    "https://wave.example", "HTTP://WWW.Wave.Example:8443/a?b#c", "https://x@wave.example", "https://wave.example!",
    "https://wave.example\\p", "https://good.example:x@wave.example", "https:\\\\wave.example.", "https:/wave.example,",
    "(see https://wave.example) ", "https://ｗave．example", "https://wave。example/x", "https://wave.example。今すぐ",
    "https://wa\u200bve.example、", "**https://wave.example**", "https://a@b@wave.example?x@good.example",
    "http:wave.example/x", "www.wave.example",
)  # fmt: skip


async def rows(command: Command, *args: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of the page by their kind and subject; bursts have no second part."""
    status, output, error = await command("noisy", "--json", *args)
    assert status == 0, error
    found = [json.loads(line) for line in output.splitlines()]
    return {(row["kind"], "" if row["kind"] == "registered" else row["what"]): row for row in found}


async def write(board: asyncpg.Connection, name: str, text: str) -> None:
    post = await play.published(board, play.Post(await play.register(board, name)))
    await board.execute("UPDATE posts SET body = $2 WHERE id = $1", post, text)


async def age(board: asyncpg.Connection, minutes: int, names: str) -> None:
    """Make the accounts with such names older."""
    older = f"- interval '{minutes} minutes'"
    await board.execute(f"UPDATE agents SET created = created {older} WHERE name LIKE '{names}'")
    await board.execute(f"UPDATE agents SET activity = created WHERE thread_count = 0 AND name LIKE '{names}'")


async def test_every_spelling_of_a_host_is_one_host(board: asyncpg.Connection, command: Command) -> None:
    for number, text in enumerate(SPELLINGS):
        await write(board, f"smith-{number}", text)
    found = await rows(command)
    assert [what for kind, what in found if kind == "host"] == ["wave.example"]
    row = found["host", "wave.example"]
    assert (row["posts"], row["accounts"], row["others"]) == (len(SPELLINGS), len(SPELLINGS), 0)


async def test_a_wave_is_found_and_its_commands_spare_the_honest(board: asyncpg.Connection, command: Command) -> None:
    await write(board, "older", "See https://gold.example?")
    await age(board, 24 * 60 + 1, "older")
    for number in range(11):
        await write(board, f"honest-{number}", f"My page: https://honest-{number}.example")
    # slowly, so that they are no burst
    for number in range(11):
        await age(board, 2 * number, f"honest-{number}")
    for number in range(12):
        await write(board, f"smith-{number}", f"Buy now: https://gold.example/{number}")
    for name in ("smith-0", "older"):
        token = await board.fetchval("SELECT token_hash FROM agents WHERE name = $1", name)
        await board.execute("UPDATE posts SET body = body || 'https://gold.example' WHERE id = $1",
            await play.published(board, play.Post(token)))  # fmt: skip
    found = await rows(command)
    host = found["host", "gold.example"]
    assert (host["accounts"], host["posts"], host["others"]) == (12, 15, 1)
    _, names, _ = await command(*shlex.split(host["command"])[1:])
    assert sorted(names.split()) == sorted(f"smith-{number}" for number in range(12))
    status, output, _ = await command("suspend", "-", "--hide", "--reason", "Spam.", stdin=names)
    assert (status, "25 changed." in output) == (0, True)
    assert await board.fetchval("SELECT bool_and(visible) FROM posts WHERE author NOT LIKE 'smith%'") is True
    assert ("host", "gold.example") not in await rows(command)


async def test_fewer_than_ten_are_no_wave(board: asyncpg.Connection, command: Command) -> None:
    for number in range(9):
        await write(board, f"smith-{number}", "https://one.example")
    found = await rows(command)
    assert set(found) == {("host", "one.example"), *(("account", f"smith-{number}") for number in range(9))}
    assert {row["command"] for row in found.values()} == {""}


async def test_a_burst_is_ten_registrations_within_five_minutes_of_each_other(
    board: asyncpg.Connection, command: Command
) -> None:
    for number in range(12):
        await write(board, f"smith-{number}", "Hello.")
    await age(board, 4, "smith-_")
    await age(board, 7, "smith-1_")
    for name in ("early", "late"):
        await write(board, name, "Hello.")
    await play.register(board, "silent")
    await age(board, 30, "early")
    await age(board, -9, "late")
    row = (await rows(command))["registered", ""]
    assert (row["accounts"], sorted(row["names"])) == (12, sorted(f"smith-{number}" for number in range(12)))
    # nine of them would be none
    await command("suspend", "smith-10", "smith-11", "smith-0", "silent")
    assert ("registered", "") not in await rows(command)

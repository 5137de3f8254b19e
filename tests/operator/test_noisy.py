"""agent-board noisy: what stands out on a young board and in a wave whose texts differ (interface 14.1)."""

import json
import os
import random
import shlex
import subprocess
import sys
from typing import Any

import asyncpg
import pytest

from loadtests.texts import reworded
from services.board.moderation.likeness import fits, groups_of, phrases_of
from tests.operator import play
from tests.operator.conftest import Command

MODEL = "Buy wave tokens now: the price doubles tonight. No agent can afford to miss this!"
QUESTIONS = [
    "How do I keep the order of two streams when one of them stalls for a minute?",
    "A migration that renames a column locked our table; what would you do instead?",
    "Which of these parsers accepts trailing commas, and does any of them report where?",
    "The cache answers with old values after a restart. I suspect the clock of the second machine.",
    "Looking for somebody who has measured gzip against zstd on short JSON messages.",
]


async def rows(command: Command, *args: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of the page by their kind."""
    status, output, _ = await command("noisy", "--json", *args)
    assert status == 0
    found: dict[str, list[dict[str, Any]]] = {}
    for line in output.splitlines():
        row = json.loads(line)
        found.setdefault(row.pop("kind"), []).append(row)
    return found


async def write(board: asyncpg.Connection, name: str, text: str, bio: str = "") -> None:
    token = await play.register(board, name)
    post = await play.published(board, play.Post(token))
    await board.execute("UPDATE posts SET body = $2 WHERE id = $1", post, text)
    await board.execute("UPDATE agents SET bio = $2 WHERE name = $1", name, bio)


@pytest.fixture
async def honest(board: asyncpg.Connection) -> list[str]:
    """A young board: twenty agents, each with a question of its own."""
    chance = random.Random(1)
    names = "amber birch cedar delta ember fjord grove heron inlet juno kelp lark maple night ocean pine quartz slate"
    for number, name in enumerate(names.split()):
        await write(board, name, reworded(chance, QUESTIONS[number % 5], 0.9), reworded(chance, QUESTIONS[0], 1))
    return names.split()


async def test_nothing_stands_out_on_a_young_honest_board(honest: list[str], command: Command) -> None:
    found = await rows(command)
    assert set(found) <= {"burst", "community"}, found


async def test_a_wave_of_reworded_texts_is_found_and_its_command_spares_the_honest(
    board: asyncpg.Connection, honest: list[str], command: Command
) -> None:
    chance = random.Random(2)
    sounds = [chance.choice("bcdfghjk") + chance.choice("aeiou") for _ in range(80)]
    wave = [f"{sound}{number:x}z{chance.randrange(99)}" for number, sound in enumerate(sounds)]
    for name in wave:
        text = reworded(chance, MODEL, chance.uniform(0.1, 0.4))
        bio = reworded(chance, "Cheap tokens for all agents of this board, every day of the week, no questions.", 0.2)
        await write(board, name, f"{text} https://gold.example/{name}", bio)
    found = await rows(command)
    (alike, *_) = found["alike_text"]
    assert set(alike["names"]) <= set(wave)
    assert len(alike["names"]) >= 72
    (profile, *_) = found["alike_profile"]
    assert (set(profile["names"]) <= set(wave), len(profile["names"]) >= 72) == (True, True)
    (host, *_) = found["shared_host"]
    assert (host["example"], set(host["names"])) == ("gold.example", set(wave))
    assert len(found["burst"]) >= 1

    # the command of the row reads the names from the page, and acts on nobody else
    reading, choosing, acting = alike["command"].split(" | ")
    assert (choosing.startswith("jq -r"), shlex.split(reading)[:3]) == (True, ["agent-board", "noisy", "--since"])
    page = await rows(command, *shlex.split(reading)[2:-1])
    (names,) = (row["names"] for row in page["alike_text"] if f'"{row["first"]}"' in choosing)
    status, output, _ = await command(*shlex.split(acting)[1:], "--yes", stdin="\n".join(names))
    assert (status, f"{2 * len(alike['names'])} changed" in output) == (0, True)
    assert await board.fetchval("SELECT bool_and(visible) FROM posts WHERE author = ANY ($1)", honest) is True


async def test_each_row_ends_with_its_whole_command(board: asyncpg.Connection, command: Command) -> None:
    for number in range(4):
        await write(board, f"smith_{number}", f"The very same text, number {number}, with https://one.example in it.")
    token = await board.fetchval("SELECT token_hash FROM agents WHERE name = 'smith_3'")
    for _ in range(6):
        await play.published(board, play.Post(token))
    status, page, _ = await command("noisy")
    assert status == 0
    suspended = "agent-board suspend smith_0 smith_1 smith_2 smith_3 --hide --category spam --reason Spam."
    assert page.count(f"  {suspended}\n") == 3, page  # its text, its names and its host
    author = "suspend smith_3 --hide --category spam --reason Floods."
    assert f"  agent-board {author}\n" in page
    assert (await command(*shlex.split(author)))[1].startswith("Would suspend 1 agent and hide 7 posts.")
    chosen = next(line for line in page.splitlines() if "--registered" in line).partition("agent-board ")[2]
    assert (await command(*shlex.split(chosen)))[1].startswith("Would suspend 4 agents and hide 10 posts.")


async def test_the_command_of_a_burst_spares_who_registers_later(board: asyncpg.Connection, command: Command) -> None:
    for number in range(4):
        await play.register(board, f"smith_{number}")
    # the period of the row goes on for three minutes
    (row,) = (await rows(command, "--since", "12m"))["burst"]
    await play.register(board, "honest")
    assert (await command(*shlex.split(row["command"])[1:]))[1].startswith("Would suspend 4 agents. --yes")


async def test_what_was_usual_before_does_not_stand_out(board: asyncpg.Connection, command: Command) -> None:
    for number in range(8):
        await write(board, f"report-{number}", f"Report {number} of the build: all tests passed on every machine.")
    assert "alike_text" in await rows(command)
    await board.execute("UPDATE posts SET created = created - interval '90 minutes' WHERE id <= 4")
    await board.execute("UPDATE agents SET created = created - interval '90 minutes' WHERE id <= 4")
    assert {"alike_text", "alike_name"} & set(await rows(command)) == set()
    await board.execute("UPDATE posts SET created = created + interval '90 minutes' WHERE id <= 4")
    await board.execute("UPDATE agents SET created = created + interval '90 minutes' WHERE id <= 4")


def test_idioms_and_a_quotation_are_not_alike() -> None:
    idiom = [f"{start} at the end of the day {rest}" for start, rest in (
        ("We merge", "when all checks pass"), ("My cache is empty", "and slow"), ("Costs matter", "more than speed"),
        ("I prune branches", "by hand"))]  # fmt: skip
    assert groups_of([phrases_of(text) for text in idiom], {}) == []
    chance = random.Random(3)
    wave = [phrases_of(reworded(chance, MODEL, 0.3)) for _ in range(40)]
    ((places, model), *_) = groups_of(wave, {})
    assert len(places) >= 36
    quotes = "Accounts write that no agent can afford to miss this, in forty threads so far. Has an operator seen them?"
    assert not fits(phrases_of(f"{quotes} {' '.join(QUESTIONS)}"), model)


def test_the_preview_and_the_command_with_yes_find_the_same_phrases() -> None:
    code = f"from services.board.moderation.likeness import phrases_of; print(sorted(phrases_of({MODEL!r})))"
    runs = {
        subprocess.check_output([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in "12"
    }
    assert len(runs) == 1

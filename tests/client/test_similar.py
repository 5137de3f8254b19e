"""A question is looked up before it is published: the command asks in a terminal, else the answer names threads."""

import os
import pty
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from agent_board_client.similar import FITTING, SHOWN, look_for
from services.board.search import search
from services.board.validation.bodies import validate
from services.contract.requests.queries import SearchQuery
from tests.client.conftest import BOARD, Run
from tests.client.test_command import read_part
from tests.fanout import index
from tests.figures import FIGURES
from tests.programs import spawn
from tests.search.collections import own
from tests.search.test_quality import publish_all
from tests.web import Agent


@dataclass
class Known:
    """A thread with two replies, of which one has a vote, and the words of a question that it answers."""

    thread: dict[str, Any]
    best: dict[str, Any]
    question: str


@pytest.fixture
def known(alice: Agent, bob: Agent) -> Known:
    one, other, third = (f"zq{secrets.token_hex(6)}" for _ in range(3))
    thread = alice.thread(f"{one} of {other} never finishes", f"Is it the {third}?")
    bob.reply(thread, "Restart it.")
    best = bob.reply(thread, "Raise the cost limit.\nThen wait.")
    alice.post(f"/api/posts/{best['id']}/vote", {"value": 1})
    return Known(thread, best, f"Does {one} of {other} stop {third}?")


def check(similar: list[dict[str, Any]], known: Known) -> None:
    one = similar[0]
    assert (one["id"], one["title"], one["reply_count"]) == (known.thread["id"], known.thread["title"], 2)
    assert one["best_reply"] == {
        "id": known.best["id"], "author": known.best["author"], "score": 1, "text": "Raise the cost limit.\nThen wait.",
    }  # fmt: skip


def test_in_a_terminal_the_command_asks_before_it_publishes(
    run: Run, name: str, known: Known, alice: Agent, environment: dict[str, str]
) -> None:
    printed, status = typed(environment, ["ask", known.question, "A body."], b"n\n")
    assert status == 1
    assert f"Thread {known.thread['id']}, score 0".encode() in printed
    assert b"Raise the cost limit." in printed
    assert b"Nothing was published." in printed
    assert alice.get(f"/api/threads?author={name}").json["items"] == []
    printed, status = typed(environment, ["ask", known.question, "A body."], b"y\n")
    assert status == 0
    assert printed.count(b"These threads may have the answer:") == 1
    assert [one["title"] for one in alice.get(f"/api/threads?author={name}").json["items"]] == [known.question]


def typed(environment: dict[str, str], arguments: list[str], answer: bytes) -> tuple[bytes, int]:
    """Run the command in a terminal, and type an answer when it asks. Return what it printed and its exit status."""
    controller, terminal = pty.openpty()
    command = [str(BOARD), *arguments]
    process = spawn(command, env={**environment, "COLUMNS": "200"}, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    printed = b""
    while part := read_part(controller):
        printed += part
        if printed.endswith(b"[y/N]: "):
            os.write(controller, answer)
    os.close(controller)
    return printed, process.wait()


async def test_few_strangers_and_most_answers_are_shown(
    db: asyncpg.Connection, record_property: Callable[[str, object], None]
) -> None:
    collection, answered, strangers = own(), 0, 0
    first = await publish_all(db, [*collection.threads, ("Which git metrics make sense?", "We count commits.")])
    await index.index_all(db)
    for question, grades in zip(collection.questions, collection.grades, strict=True):
        places = [one - first for one in await shown(db, question)]
        answered += any(grades.get(place, 0) >= 2 for place in places)
        strangers += any(place not in grades for place in places)
    record_property(FIGURES, f"of 60 questions, {answered} are shown an answer and {strangers} a stranger")
    assert answered >= 40
    assert strangers <= 3
    # words of any question should bring no thread
    assert await shown(db, "Which flag makes gcc quiet?") == []


async def shown(db: asyncpg.Connection, question: str) -> list[int]:
    """Return the threads that a look at the board shows for a question."""
    query = validate(SearchQuery, look_for(question, "").query, part="query")
    found = await search.search_board(db, query, index.LINKS)
    return [thread.id for thread in found.threads if thread.share >= FITTING][:SHOWN]


def test_a_long_question_makes_a_short_address() -> None:
    text = "".join(map(chr, range(0x4E00, 0x5200)))
    assert len(look_for(text, text).target) < 8000

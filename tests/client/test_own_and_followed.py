"""A question is followed on request, a visit is short, and reads mark one's own replies, votes and subscriptions."""

import asyncio
import json
import secrets
from typing import Any

import pytest

from agent_board_client import Refused
from tests.client.conftest import Open, Run
from tests.client.hostile import HostileBoard, answer
from tests.client.lossy import LossyProxy
from tests.operations.hand import Operator
from tests.web import Agent


def records(printed: str) -> list[Any]:
    return [json.loads(line) for line in printed.splitlines()]


async def test_a_question_that_cannot_be_followed_is_published_all_the_same(run: Run, proxy: LossyProxy) -> None:
    await asyncio.to_thread(run, "--board", proxy.address, "join", f"eve-{secrets.token_hex(4)}")
    for _ in range(6):
        proxy.lose("POST", "/api/subscriptions")
    asking = ["--board", proxy.address, "ask", "How?", "Why?", "--follow", "--json"]
    asked = await asyncio.to_thread(run, *asking, code=1)
    (thread,) = records(asked.stdout)
    sentence, hint = asked.stderr.splitlines()
    assert sentence.startswith(f"The thread {thread['id']} is published, but not followed: ")
    assert hint == f"Do not ask again. Run: board follow thread {thread['id']}"


def test_a_visit_shows_the_newest_replies_first_and_forgets_what_was_acknowledged(
    run: Run, name: str, alice: Agent, bob: Agent, operator: Operator
) -> None:
    (thread, _) = records(run("ask", "How?", "Why?", "--follow", "--json").stdout)
    assert run("home").stdout == "Nothing new.\n"
    first, long = alice.reply(thread, "First."), bob.reply(thread, "word " * 200)
    operator.deliver()
    # a post that is a reply and an event should be counted once
    *shown, total, last = run("home").stdout.splitlines()
    assert (total, last) == ("2 new replies.", "To finish the visit and acknowledge its 2 events: board home --ack")
    # each reply should be shown once, and a long one cut
    headings = [line for line in shown if not line.startswith("  ")]
    assert [f"post {post['id']}" in line for post, line in zip((long, first), headings, strict=True)] == [True, True]
    assert "the first 399 of 1000 characters" in headings[0]
    bob.reply(thread)
    operator.deliver()
    *_, total, last = run("home", "--ack").stdout.splitlines()
    assert (total, last) == ("1 new reply, 2 other events.", "Acknowledged 3 events.")
    assert run("home").stdout == "Nothing new.\n"
    # acknowledged events should not come again as new
    assert run("inbox").stdout == "Nothing new.\n"
    bob.reply(thread, "Last.")
    operator.deliver()
    assert "Last." in run("inbox", "--ack").stdout
    assert run("home").stdout.splitlines()[-1] == "1 new reply."


def test_reads_mark_what_is_ones_own(run: Run, name: str, alice: Agent) -> None:
    word = f"zq{secrets.token_hex(6)}"
    thread = alice.thread(f"About {word}", wanted_capabilities=[word])
    other = alice.reply(thread)
    run("vote", thread["id"], "up")
    run("follow", "thread", thread["id"])
    marks = [f"You voted up {thread['id']}.", f"You follow {thread['id']}."]
    assert run("search", word).stdout.splitlines()[2:4] == marks
    # a thread with a reply by its author only waits for one
    assert run("opportunities", "-c", word).stdout.splitlines()[2:] == marks
    own = records(run("reply", thread["id"], "So.", "--json").stdout)[0]
    run("vote", other["id"], "down")
    shown = run("read", thread["id"]).stdout
    assert f"Your replies are {own['id']}.\n{marks[0]}\nYou voted down {other['id']}.\n{marks[1]}\n" in shown
    assert f"You voted down {other['id']}." in run("read", other["id"]).stdout
    assert records(run("read", thread["id"], "--json").stdout)[0]["you"]["replies"] == [own["id"]]


async def test_only_a_read_of_ones_own_has_the_token(open_client: Open, bob: Agent) -> None:
    async with HostileBoard() as hostile:
        hostile.parts = answer("404 Not Found", b"{}")
        caller = open_client(hostile.address, token=bob.token)
        for include in (None, "you"):
            with pytest.raises(Refused):
                await caller.call("read_thread", 1, include=include)
    assert bob.token is not None
    assert [bob.token.encode() in head for head in hostile.heads] == [False, True]

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
from tests.web import Agent, Web


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


def test_a_visit_after_a_long_time_shows_every_reply_once(run: Run, name: str, web: Web) -> None:
    thread = records(run("ask", "How?", "Why?", "--json").stdout)[0]
    replies = [agent.reply(thread)["id"] for agent in [web.register() for _ in range(3)] for _ in range(9)]
    home, *pages = records(run("home", "--json").stdout)
    shown = [reply["id"] for page in (home["activity"], *(page["items"] for page in pages)) for reply in page]
    assert shown == replies[::-1]
    assert records(run("home", "--json").stdout)[0]["activity"] == []


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

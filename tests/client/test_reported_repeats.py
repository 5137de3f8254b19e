"""A text that the account has just published is reported before it is sent again, by the command and by MCP."""

import asyncio
import json
import secrets

import pytest

from agent_board_client import Repeated, Unreachable
from agent_board_client.repeats import REPEAT_SECONDS
from services.contract.bounds import RECENT_POSTS
from tests.client.conftest import Open, Run
from tests.client.lossy import LossyProxy
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent

HINT = "Nothing was sent. To publish it once more, give a key of your own."


def test_the_command_reports_a_repeat_unless_it_has_a_key(run: Run, name: str, alice: Agent) -> None:
    body = secrets.token_hex(8)
    first = json.loads(run("ask", "How?", body, "--json").stdout)
    refused = run("ask", "How?", body, "--community", "tools", code=1)
    assert refused.stdout == ""
    sentence = f"You have published the same text in the last ten minutes, as the post {first['id']}."
    assert refused.stderr.splitlines() == [sentence, HINT]
    assert json.loads(run("ask", "How?", body, "--key", "once-more", "--json").stdout)["id"] > first["id"]
    # the same text is another post in another place, and so is another text
    run("ask", "Why?", body)
    for thread in (alice.thread()["id"], alice.thread()["id"]):
        run("reply", thread, body)
        assert HINT in run("reply", thread, body, code=1).stderr


async def test_a_text_is_a_repeat_for_ten_minutes_however_much_was_published_since(
    open_client: Open, api: ApiProcess, alice: Agent, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = open_client(api.url, token=alice.token)
    caller.board.report_repeats()
    thread = alice.thread("How?", "Why?")
    for number in range(RECENT_POSTS + 1):
        await asyncio.to_thread(operator.forget_post_times)
        alice.reply(thread, f"{number}")
    with pytest.raises(Repeated) as repeated:
        await caller.call("create_thread", "How?", "Why?")
    assert repeated.value.post_id == thread["id"]
    created = thread["created"]
    monkeypatch.setattr("agent_board_client.conversation.time.time", lambda: created + REPEAT_SECONDS + 1)
    await asyncio.to_thread(operator.forget_post_times)
    assert (await caller.call("create_thread", "How?", "Why?")).id > thread["id"]


async def test_a_post_without_an_answer_is_no_repeat(open_client: Open, proxy: LossyProxy, alice: Agent) -> None:
    caller = open_client(proxy.address, token=alice.token)
    caller.board.report_repeats()
    for _ in range(6):
        proxy.lose("POST", "/api/threads ")
    with pytest.raises(Unreachable):
        await caller.call("create_thread", "How?", "Why?")
    published = await caller.call("create_thread", "How?", "Why?")
    assert [thread["id"] for thread in alice.get(f"/api/threads?author={alice.name}").json["items"]] == [published.id]

"""The answer to every call of the client can be lost: the client makes the call again, and it has its effect once."""

import asyncio
import secrets
from pathlib import Path
from typing import Any

import pytest

from agent_board_client import Unreachable, operations
from agent_board_client.calls import Operation
from services.contract.operations import NAMED
from tests.client.conftest import Open, Run
from tests.client.lossy import Caller, LossyProxy
from tests.operations.hand import Operator
from tests.web import Agent, Web

OPERATIONS = {value.name: value for value in vars(operations).values() if isinstance(value, Operation)}


class Losing:
    """Makes calls, and loses the first answer to each."""

    def __init__(self, caller: Caller, proxy: LossyProxy) -> None:
        self.caller = caller
        self.proxy = proxy
        self.made: set[str] = set()

    async def call(self, name: str, /, *args: Any, **fields: Any) -> Any:
        operation = OPERATIONS[name]
        self.proxy.lose(operation.method, operation.path.partition("{")[0])
        lost = self.proxy.lost
        result = await self.caller.call(name, *args, **fields)
        assert self.proxy.lost == lost + 1
        self.made.add(name)
        return result


async def test_a_lost_answer_to_any_call_is_recovered(
    open_client: Open, proxy: LossyProxy, operator: Operator, web: Web, alice: Agent
) -> None:
    losing = Losing(open_client(proxy.address), proxy)
    name = f"kit-{secrets.token_hex(4)}"
    community = f"kit-{secrets.token_hex(4)}"
    answered = alice.thread(community=community)
    agents = await asyncio.to_thread(operator.count, "agents")

    # the account should be created once, and its token, and the one that replaces it, should work
    registered = await losing.call("register_agent", name, capabilities=["sql"])
    assert (await losing.call("read_me")).name.unwrap() == name
    replaced = await losing.call("rotate_token")
    assert replaced.token != registered.token
    assert (await losing.call("update_me", bio="New.")).bio.unwrap() == "New."
    assert await asyncio.to_thread(operator.count, "agents") == agents + 1

    # posts should be published once
    followed = await losing.call("create_subscription", "community", target=community)
    thread = await losing.call("create_thread", "How?", "Why?", community=community)
    reply = await losing.call("create_reply", answered["id"], "So.")
    vote = await losing.call("cast_vote", answered["id"], 1)
    assert (vote.score, vote.post_id) == (1, answered["id"])
    assert [post.id for post in (await losing.call("read_agent", name)).recent_posts] == [reply.id, thread.id]

    # an event should be acknowledged, and a subscription ended
    event = alice.thread(community=community)["id"]
    await asyncio.to_thread(operator.deliver)
    assert [item.id for item in (await losing.call("list_inbox")).items] == [event]
    assert (await losing.call("acknowledge_event", event)).acked
    assert (await losing.call("acknowledge_events", up_to=event)).already == 1
    assert (await losing.call("pause_subscription", followed.id)).state == "paused"
    assert (await losing.call("resume_subscription", followed.id)).state == "active"
    assert (await losing.call("list_subscriptions")).items[0].id == followed.id
    assert (await losing.call("delete_subscription", followed.id)).deleted

    # everything else is a read
    places = {"id": answered["id"], "name": name}
    for operation in OPERATIONS.values():
        if operation.method == "GET" and operation.name not in losing.made:
            declared = NAMED[operation.name]
            path = {parameter: places[parameter] for parameter in declared.parameters}
            await losing.call(operation.name, **path, **declared.example)
    assert losing.made == OPERATIONS.keys()


async def test_a_rotation_without_any_answer_is_completed_when_it_is_made_again(
    run: Run, proxy: LossyProxy, home: Path
) -> None:
    through = ("--board", proxy.address)
    await asyncio.to_thread(run, *through, "join", f"eve-{secrets.token_hex(4)}")
    kept = home / proxy.address.partition("://")[2] / "auth"
    first = kept.read_text()
    for _ in range(6):
        proxy.lose("POST", "/api/agents/me/token")
    assert "did not answer" in (await asyncio.to_thread(run, *through, "rotate", code=1)).stderr
    assert proxy.lost == 6
    assert kept.read_text() == first
    assert "was replaced" in (await asyncio.to_thread(run, *through, "whoami", code=1)).stderr
    shown = (await asyncio.to_thread(run, *through, "rotate")).stdout
    assert shown.endswith((await asyncio.to_thread(run, *through, "whoami")).stdout)
    assert kept.read_text() != first
    assert "agb_" not in shown


async def test_a_post_without_any_answer_is_the_same_post_when_it_is_made_again(
    open_client: Open, proxy: LossyProxy, alice: Agent, home: Any
) -> None:
    caller = open_client(proxy.address, home=home, token=alice.token)
    for _ in range(6):
        proxy.lose("POST", "/api/threads ")
    with pytest.raises(Unreachable, match="did not answer"):
        await caller.call("create_thread", "How?", "Why?")
    assert proxy.lost == 6

    # another run of the program has the key of the unanswered post
    again = open_client(proxy.address, home=home, token=alice.token)
    thread = await again.call("create_thread", "How?", "Why?")
    assert [item["id"] for item in alice.get(f"/api/threads?author={alice.name}").json["items"]] == [thread.id]

    # once it is answered, the same content is a new post
    another = await again.call("create_thread", "How?", "Why?")
    assert another.id > thread.id

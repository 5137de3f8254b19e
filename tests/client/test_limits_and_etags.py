"""On a real board, the client respects the limit of posts, and reads again only what has changed."""

from typing import Any

from tests.client.conftest import Open
from tests.client.lossy import LossyProxy
from tests.web import Agent, Web


async def test_an_unchanged_answer_is_not_sent_again_even_after_a_restart(
    open_client: Open, proxy: LossyProxy, web: Web, alice: Agent, home: Any
) -> None:
    thread = alice.thread()
    caller = open_client(proxy.address, home=home)
    first = await caller.call("read_thread", thread["id"])
    again = await open_client(proxy.address, home=home).call("read_thread", thread["id"])
    assert proxy.statuses == [200, 304]
    assert again == first
    alice.reply(thread)
    assert len((await caller.call("read_thread", thread["id"])).replies) == 1
    assert proxy.statuses == [200, 304, 200]


async def test_a_private_answer_is_kept_for_its_account_only(
    open_client: Open, proxy: LossyProxy, alice: Agent, bob: Agent, home: Any
) -> None:
    for agent in (alice, bob, alice):
        me = await open_client(proxy.address, home=home, token=agent.token).call("read_me")
        assert me.name.unwrap() == agent.name
    assert proxy.statuses == [200, 200, 304]

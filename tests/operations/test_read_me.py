"""read_me: GET /api/agents/me (interface 8.2)."""

from tests.operations.hand import Operator
from tests.web import Agent

ME = "/api/agents/me"


def test_a_reply_that_was_shown_again_is_not_hidden_itself_in_a_hidden_thread(
    alice: Agent, bob: Agent, operator: Operator
) -> None:
    thread = alice.thread()
    reply = bob.reply(thread)
    operator.hide(reply)
    operator.unhide(reply)
    operator.hide(thread)
    assert bob.get(ME).json["hidden_posts"] == []
    assert bob.get("/api/home").json["account"]["hidden_posts"] == []
    # it should list the thread for its author only
    assert [post["id"] for post in alice.get(ME).json["hidden_posts"]] == [thread["id"]]


def test_a_suspended_agent_cannot_read_it_until_it_is_restored(alice: Agent, operator: Operator) -> None:
    # it should be refused even though the process has cached the token
    assert alice.get(ME).status == 200
    operator.suspend(alice.name)
    assert alice.get(ME).code == "revoked_token"
    operator.restore(alice.name)
    assert alice.get(ME).status == 200

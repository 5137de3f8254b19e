"""read_me: GET /api/agents/me (interface 8.2)."""

from tests.operations.hand import Operator
from tests.web import Agent, Web

ME = "/api/agents/me"


def test_the_account_has_the_public_profile_and_what_is_private(alice: Agent, web: Web) -> None:
    thread = alice.thread()
    answer = alice.get(ME)

    assert answer.status == 200
    assert answer.effect == "read-private;scope=private"
    # it should have the fields of the profile, then those of the account
    me = answer.json
    profile = web.get(f"/api/agents/{alice.name}").json
    assert list(me) == [
        *profile, "discovered_via", "token_created", "subscriptions", "hidden_posts", "limits",
    ]  # fmt: skip
    assert {field: me[field] for field in profile} == profile
    assert [post["id"] for post in me["recent_posts"]] == [thread["id"]]
    assert (me["subscriptions"], me["hidden_posts"]) == (0, [])
    assert me["token_created"] == me["created"]
    assert me["limits"] == [
        {"policy": "posts", "limit": 10, "window_seconds": 60},
        {"policy": "votes", "limit": 120, "window_seconds": 60},
        {"policy": "account", "limit": 60, "window_seconds": 60},
    ]


def test_how_the_agent_was_led_here_is_for_itself_alone(web: Web) -> None:
    bob = web.register("bob", discovered_via="a friend")
    assert bob.get(ME).json["discovered_via"] == "a friend"
    assert "discovered_via" not in web.get(f"/api/agents/{bob.name}").json


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

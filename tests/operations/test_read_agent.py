"""read_agent: GET /api/agents/{name} (interface 2.3, 8.1)."""

from urllib.parse import quote

import pytest

from services.contract.bounds import RESERVED_NAMES
from tests.operations.hand import Operator
from tests.web import Agent, Web


def test_the_profile_has_exactly_the_documented_fields(alice: Agent, web: Web) -> None:
    answer = web.get(f"/api/agents/{alice.name}")
    # it should be public
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    # it should have the fields of interface 8.1 and no others
    assert list(answer.json) == [
        "name", "bio", "capabilities", "website", "created", "activity", "thread_count", "reply_count", "post_count",
        "score", "operator", "verified", "self_reported", "url", "recent_posts",
    ]  # fmt: skip
    assert answer.json["url"] == f"{web.url}/api/agents/{alice.name}"


def test_posts_and_votes_show_in_the_counts(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    reply = alice.reply(thread)
    bob.vote(thread, 1)
    bob.vote(reply, 1)
    alice.vote(reply, -1)
    profile = web.get(f"/api/agents/{alice.name}").json
    assert (profile["thread_count"], profile["reply_count"], profile["post_count"]) == (1, 1, 2)
    assert profile["score"] == 1
    assert profile["activity"] == reply["created"]


def test_recent_posts_are_thread_and_reply_records_with_their_kind_newest_first(alice: Agent, web: Web) -> None:
    thread = alice.thread(wanted_capabilities=["sql"])
    reply = alice.reply(thread)
    recent = web.get(f"/api/agents/{alice.name}").json["recent_posts"]
    now = web.get(f"/api/threads/{thread['id']}").json["thread"]
    assert recent == [reply, {**now, "kind": "thread"}]
    assert reply["kind"] == "reply"


def test_twenty_recent_posts_are_shown(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    replies = []
    for _ in range(3):
        operator.forget_post_times()
        replies += [alice.reply(thread)["id"] for _ in range(7)]
    profile = web.get(f"/api/agents/{alice.name}").json
    assert [post["id"] for post in profile["recent_posts"]] == replies[::-1][:20]
    assert profile["post_count"] == 22


def test_hidden_posts_are_neither_shown_nor_counted(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    first, second = alice.thread(), alice.thread()
    alice.reply(bob.thread())
    reply = alice.reply(second)
    bob.vote(second, 1)
    before = web.get(f"/api/agents/{alice.name}").json
    operator.hide(second)

    # it should leave out the thread, its reply, and their votes
    after = web.get(f"/api/agents/{alice.name}").json
    assert [post["id"] for post in after["recent_posts"]] == [reply["id"] - 1, first["id"]]
    assert (after["thread_count"], after["reply_count"], after["score"]) == (1, 1, 0)
    # it should be the same as before
    operator.unhide(second)
    assert web.get(f"/api/agents/{alice.name}").json == before


def test_a_name_is_found_in_any_case_and_shown_as_registered(web: Web) -> None:
    bob = web.register("Bob Mac")
    for name in (bob.name, bob.name.lower(), bob.name.upper()):
        assert web.get(f"/api/agents/{quote(name)}").json["name"] == bob.name
    # it should have a URL that works
    url = web.get(f"/api/agents/{quote(bob.name)}").json["url"]
    assert web.get(url.removeprefix(web.url)).json["name"] == bob.name


def test_a_suspended_agent_keeps_its_profile_and_its_posts(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    operator.suspend(alice.name)
    assert [post["id"] for post in web.get(f"/api/agents/{alice.name}").json["recent_posts"]] == [thread["id"]]


@pytest.mark.parametrize(
    "name",
    ["nobody-has-this-name", "a" * 41, "a" * 3000, "%00", "%20", "a%2Fb", "%2e%2e", "..", "-a", "%C3%A9", "%FF", "%zz",
     "a%0Ab", "%F0%9F%A6%9E", "%ED%A0%80", "a'--", *RESERVED_NAMES[2:]],
)  # fmt: skip
def test_any_other_name_is_not_found(web: Web, name: str) -> None:
    answer = web.get(f"/api/agents/{name}")
    assert (answer.status, answer.code, answer.effect) == (404, "not_found", "none")


def test_me_and_register_are_no_profiles(web: Web) -> None:
    assert web.get("/api/agents/me").status == 401
    answer = web.get("/api/agents/register")
    assert (answer.status, answer.headers["Allow"]) == (405, "OPTIONS, POST")

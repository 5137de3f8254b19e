"""read_agent: GET /api/agents/{name} (interface 2.3, 8.1)."""

from tests.operations.hand import Operator
from tests.web import Agent, Web


def test_the_profile_has_exactly_the_documented_fields(alice: Agent, web: Web) -> None:
    answer = web.get(f"/api/agents/{alice.name}")
    assert (answer.status, answer.effect) == (200, "none")
    # it should have the fields of interface 8.1 and no others
    assert list(answer.json) == [
        "name", "bio", "capabilities", "website", "created", "activity", "thread_count", "reply_count", "post_count",
        "score", "operator", "suspended", "verified", "self_reported", "url", "recent_posts",
    ]  # fmt: skip
    assert answer.json["url"] == f"{web.url}/api/agents/{alice.name}"


def test_twenty_recent_posts_are_shown(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    replies = []
    for _ in range(3):
        operator.forget_post_times()
        replies += [alice.reply(thread)["id"] for _ in range(7)]
    profile = web.get(f"/api/agents/{alice.name}").json
    assert [post["id"] for post in profile["recent_posts"]] == replies[::-1][:20]
    assert profile["post_count"] == 22


def test_me_and_register_are_no_profiles(web: Web) -> None:
    assert web.get("/api/agents/me").status == 401
    answer = web.get("/api/agents/register")
    assert (answer.status, answer.headers["Allow"]) == (405, "OPTIONS, POST")

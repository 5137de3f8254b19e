"""list_communities: GET /api/communities (decisions 1.7)."""

import secrets
from typing import Any

from tests.operations.hand import Operator
from tests.web import Agent, Web

CURATED = ["announcements", "capabilities", "coordination", "general", "help", "introductions", "meta", "research",
           "tools"]  # fmt: skip


def listed(web: Web, slug: str) -> Any:
    return next((item for item in web.get("/api/communities").json["items"] if item["slug"] == slug), None)


def test_the_curated_communities_are_always_there(web: Web) -> None:
    answer = web.get("/api/communities")
    # it should be public, in the order of the slugs
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert list(answer.json) == ["items", "count"]
    slugs = [item["slug"] for item in answer.json["items"]]
    assert slugs == sorted(slugs)
    assert answer.json["count"] == len(slugs)
    # it should have those of decisions 1.7, each with a description
    curated = [item for item in answer.json["items"] if item["curated"]]
    assert [item["slug"] for item in curated] == CURATED
    assert all(item["description"] for item in curated)
    assert all(list(item) == ["slug", "description", "thread_count", "activity", "curated"] for item in curated)


def test_a_community_without_threads_has_no_activity(web: Web) -> None:
    assert (listed(web, "meta")["thread_count"], listed(web, "meta")["activity"]) == (0, None)


def test_threads_are_counted_and_replies_make_a_community_active(
    alice: Agent, bob: Agent, web: Web, operator: Operator
) -> None:
    before = listed(web, "tools")["thread_count"]
    first, second = alice.thread(community="tools"), alice.thread(community="tools")
    reply = bob.reply(first)
    tools = listed(web, "tools")
    assert (tools["thread_count"], tools["activity"]) == (before + 2, reply["created"])
    # it should forget what is hidden
    operator.hide(first)
    tools = listed(web, "tools")
    assert (tools["thread_count"], tools["activity"]) == (before + 1, second["created"])


def test_another_community_is_listed_while_it_has_a_visible_thread(alice: Agent, web: Web, operator: Operator) -> None:
    slug = f"place-{secrets.token_hex(5)}"
    assert listed(web, slug) is None
    thread = alice.thread(community=slug)
    assert listed(web, slug) == {
        "slug": slug, "description": "", "thread_count": 1, "activity": thread["created"], "curated": False,
    }  # fmt: skip
    operator.hide(thread)
    assert listed(web, slug) is None


def test_an_operator_can_describe_one(web: Web, operator: Operator) -> None:
    slug = f"place-{secrets.token_hex(5)}"
    tag = web.get("/api/communities").headers["ETag"]
    operator.describe(slug, "A place.")
    assert (listed(web, slug)["description"], listed(web, slug)["curated"]) == ("A place.", True)
    assert web.get("/api/communities").headers["ETag"] != tag

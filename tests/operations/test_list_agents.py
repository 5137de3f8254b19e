"""list_agents: GET /api/agents (decisions 1.4, 1.6)."""

from typing import Any

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Web

AGENTS = "/api/agents"


def whole_list(web: Web, query: str = "") -> list[dict[str, Any]]:
    """All agents, by following the links."""
    path: str | None = f"{AGENTS}?limit=100{query}"
    items = []
    while path:
        page = web.get(path)
        items += page.json["items"]
        link = page.headers["Link"]
        path = link.removeprefix(f"<{web.url}").removesuffix('>; rel="next"') if link else None
    return items


def order_of(web: Web, sort: str, agents: list[Agent]) -> list[str]:
    """The names of these agents in the order of a sort."""
    names = {agent.name for agent in agents}
    return [item["name"] for item in whole_list(web, f"&sort={sort}") if item["name"] in names]


def test_an_item_is_the_profile_without_its_posts(alice: Agent, web: Web) -> None:
    alice.patch("/api/agents/me", {"bio": "b", "capabilities": ["sql"]})
    alice.thread()
    answer = web.get(AGENTS)
    # it should be a public page
    assert answer.status == 200
    assert answer.effect == "none"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert list(answer.json) == ["items", "has_more", "next_offset"]
    # it should have the fields of the profile and nothing private
    profile = web.get(f"/api/agents/{alice.name}").json
    assert list(profile)[-1] == "recent_posts"
    del profile["recent_posts"]
    (item,) = (item for item in answer.json["items"] if item["name"] == alice.name)
    assert item == profile
    assert list(item) == [
        "name", "bio", "capabilities", "website", "created", "activity", "thread_count", "reply_count", "post_count",
        "score", "operator", "verified", "self_reported", "url",
    ]  # fmt: skip


def test_active_is_the_default_and_puts_the_newest_post_or_registration_first(
    alice: Agent, bob: Agent, carol: Agent, web: Web
) -> None:
    alice.thread()
    cast = [alice, bob, carol]
    assert order_of(web, "active", cast) == [alice.name, carol.name, bob.name]
    assert web.get(AGENTS).json == web.get(f"{AGENTS}?sort=active").json


def test_new_puts_the_newest_registration_first(alice: Agent, bob: Agent, carol: Agent, web: Web) -> None:
    alice.thread()
    assert order_of(web, "new", [alice, bob, carol]) == [carol.name, bob.name, alice.name]


def test_popular_puts_the_highest_score_first_and_of_equals_the_newest(
    alice: Agent, bob: Agent, carol: Agent, web: Web
) -> None:
    carol.vote(bob.thread(), 1)
    assert order_of(web, "popular", [alice, bob, carol]) == [bob.name, carol.name, alice.name]
    carol.vote(alice.thread(), -1)
    assert order_of(web, "popular", [alice, bob, carol]) == [bob.name, carol.name, alice.name]


def test_name_is_the_order_of_the_alphabet_whatever_the_case(web: Web) -> None:
    agents = [web.register(name) for name in ("zoe", "Adam", "adele", "Zed")]
    assert order_of(web, "name", agents) == [agents[i].name for i in (1, 2, 3, 0)]


@pytest.mark.parametrize("sort", ["active", "new", "popular", "name"])
def test_pages_hold_every_agent_once(web: Web, sort: str) -> None:
    for _ in range(3):
        web.register("bob")
    everyone = [item["name"] for item in whole_list(web, f"&sort={sort}")]
    assert len(everyone) == len(set(everyone)) >= 3
    # it should give the same list in pages of two
    paged: list[str] = []
    has_more = True
    while has_more:
        page = web.get(f"{AGENTS}?sort={sort}&limit=2&offset={len(paged)}").json
        paged += [item["name"] for item in page["items"]]
        assert page["next_offset"] == len(paged)
        has_more = page["has_more"]
        assert has_more == (len(paged) < len(everyone))
    assert paged == everyone


def test_a_page_holds_25_unless_asked_otherwise(web: Web) -> None:
    for _ in range(26):
        web.register("bob")
    page = web.get(AGENTS)
    assert (len(page.json["items"]), page.json["has_more"], page.json["next_offset"]) == (25, True, 25)
    assert page.headers["Link"] == f'<{web.url}{AGENTS}?sort=active&limit=25&offset=25>; rel="next"'


def test_beyond_the_end_there_is_an_empty_page(web: Web) -> None:
    answer = web.get(f"{AGENTS}?offset=9007199254740991")
    assert answer.json == {"items": [], "has_more": False, "next_offset": 9007199254740991}
    assert "Link" not in answer.headers


def test_an_operator_is_marked_by_the_operator_alone(alice: Agent, web: Web, operator: Operator) -> None:
    assert alice.get("/api/agents/me").json["operator"] is False
    operator.mark(alice.name)
    assert web.get(f"/api/agents/{alice.name}").json["operator"] is True


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("sort=best", "sort", "not_allowed_value"),
        ("sort=", "sort", "not_allowed_value"),
        ("limit=0", "limit", "out_of_range"),
        ("limit=101", "limit", "out_of_range"),
        ("offset=-1", "offset", "out_of_range"),
    ],
)
def test_a_wrong_page_is_refused_and_not_bent_into_shape(web: Web, query: str, field: str, code: str) -> None:
    answer = web.get(f"{AGENTS}?{query}")
    assert (answer.status, answer.codes) == (400, [(field, code)])


def test_a_wrong_sort_is_answered_with_the_allowed_ones(web: Web) -> None:
    detail = web.get(f"{AGENTS}?sort=best").json["detail"]
    assert all(sort in detail for sort in ("active", "new", "popular", "name"))

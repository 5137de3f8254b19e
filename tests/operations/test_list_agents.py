"""list_agents: GET /api/agents (interface 8.3, 9.1)."""

from typing import Any
from urllib.parse import urlencode

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Web

AGENTS = "/api/agents"


def whole_list(web: Web, query: str = "") -> list[dict[str, Any]]:
    """Return all agents, by following the links."""
    path: str | None = f"{AGENTS}?limit=100{query}"
    items = []
    while path:
        page = web.get(path)
        items += page.json["items"]
        link = page.headers["Link"]
        path = link.removeprefix(f"<{web.url}").removesuffix('>; rel="next"') if link else None
    return items


def order_of(web: Web, sort: str, agents: list[Agent]) -> list[str]:
    """Return the names of these agents in the order of a sort."""
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
    assert list(answer.json) == ["items", "has_more", "next_offset", "matched"]
    # it should have the fields of the profile and no private ones
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
def test_pages_hold_every_agent_once(empty_web: Web, sort: str) -> None:
    for _ in range(7):
        empty_web.register("bob")
    everyone = [item["name"] for item in whole_list(empty_web, f"&sort={sort}")]
    assert len(everyone) == len(set(everyone)) == 7
    # it should give the same list in pages of two
    paged: list[str] = []
    has_more = True
    while has_more:
        page = empty_web.get(f"{AGENTS}?sort={sort}&limit=2&offset={len(paged)}").json
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
    assert answer.json == {
        "items": [],
        "has_more": False,
        "next_offset": 9007199254740991,
        "matched": "all",
    }
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


# q and capability


def found(web: Web, **query: str) -> list[str]:
    """Return the names of the agents that are listed for a query, the newest first."""
    answer = web.get(f"{AGENTS}?{urlencode({'sort': 'new', 'limit': '100', **query})}")
    assert answer.status == 200, answer.content
    return [item["name"] for item in answer.json["items"]]


def test_q_finds_a_part_of_name_bio_or_capability_in_any_case(web: Web) -> None:
    agent = web.register("Kakapo", bio="A flightless Parrot.", capabilities=["Night vision"]).name
    for q in ("kakapo", "KAKA", "akap", "flightless parrot", "less Par", "night v", "NIGHT VI", "ht vision", "parrot."):
        assert found(web, q=q) == [agent], q
    assert found(web, q="kakapo eats") == [agent]


def test_q_finds_all_of_its_words_wherever_they_stand(web: Web) -> None:
    agent = web.register("Takahe", bio="Rare and blue.", capabilities=["swamp hens"]).name
    assert found(web, q="blue takahe") == [agent]
    assert found(web, q="hens, rare!") == [agent]
    # it should not support search operators
    assert found(web, q="takahe -blue") == [agent]
    assert found(web, q='"blue rare"') == [agent]


def test_a_question_that_nobody_answers_completely_finds_those_with_some_of_its_words(empty_web: Web) -> None:
    potter = empty_web.register("Takin", bio="I throw stoneware pots.", capabilities=["Clay"]).name
    glazer = empty_web.register("Ibex", bio="Glazes.").name
    for number in range(5):
        empty_web.register(f"other-{number}", bio="Can do anything today.")

    def listed(q: str, **query: str) -> tuple[list[str], str]:
        answer = empty_web.get(f"{AGENTS}?{urlencode({'sort': 'new', 'q': q, **query})}").json
        return [item["name"] for item in answer["items"]], answer["matched"]

    assert listed("Who can throw or glaze stoneware?") == ([glazer, potter], "some")
    assert listed("Who can throw or glaze stoneware?", capability="clay") == ([potter], "some")
    # it should find a name with a slip of the pen
    assert empty_web.post("/api/agents/register", {"name": "Thylacine"}).status == 201
    assert listed("Tylacine") == (["Thylacine"], "some")
    # it should not widen a list that only a capability empties
    both = empty_web.register("Oryx", bio="Throws and glazes stoneware.").name
    assert listed("glaze stoneware") == ([both], "all")
    assert listed("glaze stoneware", capability="clay") == ([], "all")
    assert listed("nobodywrotethis") == ([], "all")


@pytest.mark.parametrize("q", ["q73%", "a_c", "730\\", "%730", "___730"])
def test_q_is_taken_literally(web: Web, q: str) -> None:
    other = web.register("plain", bio="axc q730 xyy abc ab").name
    agent = web.register("literal", bio=f"<{q}>").name
    listed = found(web, q=q)
    assert agent in listed
    # it should not treat the wildcards of LIKE as such
    assert other not in listed


def test_q_without_three_letters_is_the_beginning_of_a_name_or_whole_words(web: Web) -> None:
    named, word = web.register("Qjx").name, web.register("short", bio="...qj, ñø 鰯鰻...").name
    part = web.register("longer", bio="aqja").name
    assert found(web, q="qJ") == [word, named]
    assert found(web, q="ÑØ") == found(web, q="鰯鰻") == [word]
    assert found(web, q="qja") == [part]
    for q in ("_", "%", "\\", "-", "___", "%%%", "🦦", "\\%"):
        assert found(web, q=q) == [], q


def test_a_part_does_not_reach_from_one_field_into_the_next(web: Web) -> None:
    web.register("edge", bio="borderland", capabilities=["landing", "gear"])
    assert found(web, q="borderlandlanding") == found(web, q="landinggear") == []


def test_capability_finds_a_whole_tag_in_any_case(web: Web) -> None:
    one = web.register("one", capabilities=["Sheep shearing", "wool"]).name
    two = web.register("two", capabilities=["WOOL"], bio="Sheep shearing").name
    assert found(web, capability="sheep shearing") == [one]
    assert found(web, capability=" wool ") == [two, one]
    assert found(web, capability="sheep") == found(web, capability="woo") == []
    # it should not filter when it is blank
    assert len(found(web, capability="")) == len(found(web)) >= 2


@pytest.mark.parametrize(
    "tag", ["c++", "a,b", 'say "hi"', "{x}", "back\\slash", "null", "100%", "Ärger", "it's", "c\u0327a va"]
)
def test_a_capability_may_hold_any_character(web: Web, tag: str) -> None:
    agent = web.register("tagged", capabilities=["other", tag]).name
    assert found(web, capability=tag.upper()) == [agent]
    assert agent in found(web, q=tag)


def test_q_and_capability_narrow_every_sort_and_its_pages(web: Web, operator: Operator) -> None:
    team = [web.register(name, bio="Of the heron team.", capabilities=["Rowing"]) for name in ("c", "a", "d", "b")]
    web.register("e", bio="Of the heron team.")
    web.register("f", capabilities=["rowing"])
    team[1].vote(team[2].thread(), 1)
    names = [agent.name for agent in team]
    orders = {"new": [3, 2, 1, 0], "active": [2, 3, 1, 0], "popular": [2, 3, 1, 0], "name": [1, 3, 0, 2]}
    for sort, order in orders.items():
        expected = [names[n] for n in order]
        assert found(web, q="HERON team", capability="rowing", sort=sort) == expected
        paged = []
        path: str | None = f"{AGENTS}?q=heron%20team&capability=Rowing&sort={sort}&limit=1"
        while path:
            page = web.get(path)
            paged += [item["name"] for item in page.json["items"]]
            assert page.json["next_offset"] == len(paged)
            link = page.headers["Link"]
            path = link.removeprefix(f"<{web.url}").removesuffix('>; rel="next"') if link else None
        assert paged == expected


def test_a_changed_profile_is_listed_by_what_it_says_now(web: Web) -> None:
    agent = web.register("changing", bio="dodecahedron", capabilities=["origami"])
    agent.patch("/api/agents/me", {"bio": "icosahedron", "capabilities": ["papercraft"]})
    assert found(web, q="dodecahedron") == found(web, capability="origami") == []
    assert found(web, q="icosahedron") == found(web, capability="papercraft") == [agent.name]


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("q=%20", "q", "blank"),
        (f"q={'a' * 201}", "q", "too_long"),
        ("q=a%00", "q", "control_character"),
        (f"capability={'a' * 41}", "capability", "too_long"),
        ("capability=a%0Ab", "capability", "control_character"),
    ],
)
def test_a_wrong_filter_is_refused(web: Web, query: str, field: str, code: str) -> None:
    answer = web.get(f"{AGENTS}?{query}")
    assert (answer.status, answer.codes) == (400, [(field, code)])

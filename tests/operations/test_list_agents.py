"""list_agents: GET /api/agents (interface 8.3, 9.1)."""

from urllib.parse import urlencode

import pytest

from tests.cases import for_each
from tests.web import Web

AGENTS = "/api/agents"


# q and capability


def found(web: Web, **query: str) -> list[str]:
    """Return the names of the agents that are listed for a query, the newest first."""
    answer = web.get(f"{AGENTS}?{urlencode({'sort': 'new', 'limit': '100', **query})}")
    assert answer.status == 200, answer.content
    return [item["name"] for item in answer.json["items"]]


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


@for_each("tag", ["c++", "a;b", 'say "hi"', "{x}", "back\\slash", "null", "100%", "Ärger", "it's", "c\u0327a va"])
def test_a_capability_may_hold_any_character_but_a_comma(web: Web, tag: str) -> None:
    agent = web.register("tagged", capabilities=["other", tag]).name
    assert found(web, capability=tag.upper()) == [agent]
    assert agent in found(web, q=tag)
    for refused in (
        web.post("/api/agents/register", {"name": "listed", "capabilities": [f"{tag},x"]}),
        web.get(f"/api/agents?{urlencode({'capability': f'{tag},x'})}"),
    ):
        assert (refused.status, refused.json["errors"][0]["code"]) == (400, "bad_format")
        assert refused.json["detail"].endswith(" must be one value, without a comma.")

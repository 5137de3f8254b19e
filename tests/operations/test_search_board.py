"""search_board: GET /api/search (interface 9.7)."""

import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from services.contract.unseen import VISIBLE
from tests.operations.hand import Operator
from tests.web import Agent, Web

SEARCH = "/api/search"
Found = Callable[..., list[Any]]


def search(web: Web, q: str, query: str = "") -> dict[str, Any]:
    """Return the answer to a search."""
    answer = web.get(f"{SEARCH}?q={quote(q, safe='')}{query}")
    assert answer.status == 200, answer.content
    return dict(answer.json)


@pytest.fixture(params=["behind the cursor", "in the index"])
def threads(request: pytest.FixtureRequest, web: Web, operator: Operator) -> Found:
    """The ids of the threads of this test that match: before the index has caught up, and after."""
    (before,) = operator.sql("SELECT last_id FROM log_head")[0]

    def found(q: str, query: str = "") -> list[int]:
        if request.param == "in the index":
            operator.index_log()
        return [thread["id"] for thread in search(web, q, f"&limit=50{query}")["threads"] if thread["id"] > before]

    return found


def agents(web: Web, q: str, query: str = "") -> list[str]:
    """Return the names of the agents that match."""
    return [agent["name"] for agent in search(web, q, query)["agents"]]


# The answer


def test_a_longer_question_is_cut_to_its_beginning_and_its_end(alice: Agent, web: Web) -> None:
    first, last = f"first{secrets.token_hex(6)}", f"last{secrets.token_hex(6)}"
    thread = alice.thread("A trace", f"{first} and {last}")
    answer = search(web, f"{first} {'x' * 6000} {last}")
    assert [found["id"] for found in answer["threads"]] == [thread["id"]]
    assert (len(answer["q"]), answer["q"][:17], answer["q"][-16:]) == (1000, first, last)


def test_colors_of_a_terminal_and_control_characters_are_no_part_of_a_question(web: Web) -> None:
    for q, used in (
        ("\x1b[1;31merror\x1b[0m: \x1b[38;5;9mno\x1b[m port", "error: no port"),
        ("\x1b]0;title\x07E  \x1b]8;;http://a\x1b\\x\x1b(B\x1b=", "E  x"),
        ("a\x00b\x08c\td\ne\x1b", "a b c\td\ne "),
    ):
        assert search(web, q)["q"] == used


# Threads


def test_the_title_goes_before_capabilities_and_these_before_the_body(alice: Agent, threads: Found) -> None:
    body = alice.thread("One", "A capybara.")["id"]
    title = alice.thread("Capybara", "One.")["id"]
    wanted = alice.thread("Two", "Two.", wanted_capabilities=["capybara"])["id"]
    assert threads("capybara") == [title, wanted, body]


def test_of_equals_the_more_popular_goes_first_then_the_newer(
    alice: Agent, bob: Agent, carol: Agent, threads: Found
) -> None:
    first, second, third = [alice.thread("Same", "An axolotl.") for _ in range(3)]
    assert threads("axolotl") == [third["id"], second["id"], first["id"]]
    for voter in (bob, carol):
        voter.vote(first, 1)
    bob.vote(second, 1)
    assert threads("axolotl") == [first["id"], second["id"], third["id"]]


def test_a_thread_is_found_as_soon_as_it_is_answered_and_not_after_it_was_hidden(
    alice: Agent, threads: Found, operator: Operator
) -> None:
    thread = alice.thread("A dugong")
    assert threads("dugong") == [thread["id"]]
    operator.hide(thread)
    assert threads("dugong") == []
    operator.unhide(thread)
    assert threads("dugong") == [thread["id"]]


# Agents


def test_a_name_is_found_with_a_slip_of_the_pen(web: Web) -> None:
    answer = web.post("/api/agents/register", {"name": "Chinchilla"})
    assert answer.status == 201
    for q in ("chinchila", "Cinchilla", "CHINCHILAL"):
        assert agents(web, q) == ["Chinchilla"], q


def test_the_name_goes_before_capabilities_and_these_before_the_bio(web: Web) -> None:
    bio = web.register("one", bio="A margay.").name
    capability = web.register("two", capabilities=["margay"]).name
    name = web.register("margay").name
    assert agents(web, "margay") == [name, capability, bio]


def test_the_very_name_goes_first_and_the_more_alike_before_the_less(web: Web) -> None:
    for name in ("Serval", "Serval-2", "Serval the third", "Seval"):
        assert web.post("/api/agents/register", {"name": name}).status == 201
    assert agents(web, "serval") == ["Serval", "Serval-2", "Serval the third", "Seval"]
    assert agents(web, "SEVAL")[0] == "Seval"


# Pages


def test_twenty_of_each_are_found_unless_asked_otherwise(web: Web, operator: Operator) -> None:
    authors = [web.register("author", bio="A saiga.") for _ in range(21)]
    for author in authors:
        author.thread("A saiga")
    found = search(web, "saiga")
    assert (found["count"], found["has_more"]) == ({"agents": 20, "threads": 20}, True)
    assert (len(found["agents"]), len(found["threads"])) == (20, 20)
    found = search(web, "saiga", "&limit=21")
    assert (found["count"], found["has_more"]) == ({"agents": 21, "threads": 21}, False)
    # it should have more when either list does
    authors[0].thread("Another saiga")
    found = search(web, "saiga", "&limit=21")
    assert (found["count"], found["has_more"]) == ({"agents": 21, "threads": 21}, True)
    web.register("author", bio="A saiga.")
    operator.hide(authors[0].thread("Gone saiga"))
    assert search(web, "saiga", "&limit=22")["has_more"] is False
    web.register("author", bio="A saiga.")
    assert search(web, "saiga", "&limit=22")["has_more"] is True


# No query may fail

ODD = [
    "a & b", "a | b", "a ! b", "!a", "a <-> b", "a:*", "a:ABCD", "((", "))", "()", "''", "'a", '"',
    '""', '"""', '" "', "-", "--", "---a", "- a", "-or", "or", "or or", "or -", "-a or", "or a",
    "a or", "a or or b", '-"', '-""', '-"-a"', "a -a", "-a -a", '"a" -"a"', "\\", "\\'", "a\\b",
    "%", "_", "%_", "[a]", "{a}", "$1", "$$", "'; DROP TABLE posts; --", "NULL", "null", "0", "-1",
    "1e309", "٣", "１２", "²", "🦞", "🦞🦞🦞", "-🦞", '"🦞 🦞"', "👩‍👩‍👧", "\u200b", "\ufeff", "a\u0301",
    "\u0301", "ß", "İ", "ı", "ﬁ", "Σς", "\u202e", "\u2028", "\ue000", "\U0010ffff", "a" * 200,
    "é" * 200, "🦞" * 200, '"' * 200, "-" * 200, "a " * 100, "a-" * 100, "a." * 100, "-a " * 66,
    '"a' * 100, "(" * 200, "a or " * 40, "0xa@" * 50, "<!--" * 50, "a_" * 100, "http://" * 28,
    "1.1." * 50, "\t", "\n", "a\nb", "a\tb", "a\r\nb", "'a':1A,2B", "12:0", "'12:0'",
    "10:0 or 12:0", "24:0",
]  # fmt: skip


@pytest.mark.parametrize("indexed", [False, True])
def test_no_question_fails(alice: Agent, web: Web, operator: Operator, indexed: bool) -> None:
    alice.patch("/api/agents/me", {"bio": "A question: who knows? 🦞 é 12"})
    alice.thread("A question", "Who knows, 12 or é 🦞?")
    if indexed:
        operator.index_log()
    for q in ODD:
        answer = web.get(f"{SEARCH}?q={quote(q, safe='')}")
        assert answer.status == 200, (q, answer.content)
        assert answer.json["q"] == q
        # it should give the same result in the list of agents
        if VISIBLE.search(q):
            assert web.get(f"/api/agents?q={quote(q, safe='')}").status == 200, q


def test_no_question_finds_the_marks_of_age(alice: Agent, threads: Found, operator: Operator) -> None:
    alice.thread("Anything")
    for q in ("10:0", "12:0", "'12:0'", '"12:0"', "24:0"):
        assert threads(q) == []

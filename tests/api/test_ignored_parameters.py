"""Query parameters without an effect are named in a header (interface 2.4), and only to the caller that sent them."""

from typing import Any

import http_sf
import pytest

from tests.web import Agent, Answer, Web

IGNORED = "Ignored-Parameters"


def ignored(answer: Answer) -> list[str]:
    listed: Any = http_sf.parse((answer.headers[IGNORED] or "").encode(), tltype="list")
    return [value for value, _ in listed]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("page=2", ["page"]),
        ("limit=1&Offset=1&page=2&page=3&=&x", ["Offset", "page", "", "x"]),
        ("&".join(f"p{n}=" for n in range(50)), [f"p{n}" for n in range(8)]),
        (f"{'a' * 41}=1&{'%C3%A9' * 41}=1", ["a" * 40, "%C3%A9" * 6]),
        ("a%22%0D%0AX%3A+1%5C=1", ["a%22%0D%0AX%3A%201%5C"]),
        ("limit=1&&&", []),
    ],
    ids=["one", "several", "many", "long", "quotes", "none"],
)
def test_what_had_no_effect_is_named(alice: Agent, web: Web, query: str, names: list[str]) -> None:
    for answer in (web.get(f"/api/threads?{query}"), alice.get(f"/api/inbox?{query}")):
        assert (answer.status, answer.headers["X"]) == (200, None)
        assert (ignored(answer), answer.headers[IGNORED] is None) == (names, not names)


def test_writes_and_calls_without_a_query_name_it_too(alice: Agent, web: Web) -> None:
    thread = alice.post("/api/threads?notify=all", {"title": "t", "body": "b"})
    vote = alice.post(f"/api/posts/{thread.json['id']}/vote?by=%FF", {"value": 1})
    assert (thread.status, ignored(thread)) == (201, ["notify"])
    # it should not refuse or read a query that no parameter can be in
    assert (vote.status, vote.headers[IGNORED]) == (200, None)
    assert ignored(web.get("/skill.md?v=2")) == ["v"]
    assert ignored(web.get(f"/api/threads/{2**53 - 1}?v=2")) == ["v"]
    # a page and its files carry a version of their own
    assert web.get("/style.css?v=2").headers[IGNORED] is None


def test_no_other_caller_sees_the_name(alice: Agent, web: Web) -> None:
    path = f"/api/threads?author={alice.name}"
    first, known = web.get(f"{path}&mine=1"), web.get(path)
    other = web.get(f"{path}&its=1")
    unchanged = web.get(f"{path}&own=1", headers={"If-None-Match": known.headers["ETag"]})
    assert [ignored(answer) for answer in (first, known, other, unchanged)] == [["mine"], [], ["its"], ["own"]]
    assert web.get(path).headers[IGNORED] is None
    for _ in range(3):  # the meaning of a URL is remembered
        assert ignored(web.get(f"{path}&mine=1")) == ["mine"]
    # they are the same answer
    assert first.content == known.content == other.content
    assert (first.headers["ETag"], unchanged.status) == (known.headers["ETag"], 304)

"""Query parameters without an effect are named in the answer (interface 2.4), and only to the caller that sent them."""

from typing import Any

import http_sf
import pytest

from tests.web import Agent, Answer, Web

IGNORED = "Ignored-Parameters"


def ignored(answer: Answer) -> list[str]:
    """The names in the header. Those in an object of JSON must be the same."""
    listed: Any = http_sf.parse((answer.headers[IGNORED] or "").encode(), tltype="list")
    names = [value for value, _ in listed]
    if answer.content and answer.headers["Content-Type"] in ("application/json", "application/problem+json"):
        assert [one["name"] for one in answer.json.get("ignored_parameters", [])] == names
    return names


def nearest(answer: Answer) -> dict[str, str | None]:
    return {one["name"]: one["nearest"] for one in answer.json["ignored_parameters"]}


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
    assert "ignored_parameters" not in known.json
    assert {**known.json, "ignored_parameters": [{"name": "mine", "nearest": None}]} == first.json
    assert (first.headers["ETag"], unchanged.status) == (known.headers["ETag"], 304)


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("/api/search?query=docker&Limit=5&autor=ada", {"query": "q", "Limit": "limit", "autor": "author"}),
        ("/api/threads?page=2&per_page=5&user=ada", {"page": "offset", "per_page": "limit", "user": "author"}),
        ("/api/agents?capabilities=sql&zzz=1", {"capabilities": "capability", "zzz": None}),
        ("/api/activity?since_id=1&body_length=0", {"since_id": "after", "body_length": None}),
    ],
)
def test_the_nearest_parameter_is_named(web: Web, target: str, meant: dict[str, str | None]) -> None:
    assert nearest(web.get(target)) == meant

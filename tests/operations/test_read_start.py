"""read_start: GET /api/start (interface 12.1): all that a new agent needs, and a registration that works unchanged."""

from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

START = "/api/start"


def start(web: Web) -> Any:
    answer = web.get(START)
    assert answer.status == 200
    return answer.json


def send(web: Web, request: dict[str, Any]) -> Answer:
    """Send a request of the quickstart unchanged."""
    assert list(request) == ["method", "url", "json"]
    assert request["url"].startswith(web.url)
    return web.call(request["method"], urlsplit(request["url"]).path, request["json"])


def test_the_sample_name_stays_until_somebody_comes(alice: Agent, web: Web) -> None:
    name = start(web)["register_request"]["json"]["name"]
    alice.thread()
    alice.patch("/api/agents/me", {"bio": "New."})
    assert start(web)["register_request"]["json"]["name"] == name
    # it should be available in upper case too
    assert web.post("/api/agents/register", {"name": name.upper()}).status == 201
    assert start(web)["register_request"]["json"]["name"] != name


def test_the_name_that_follows_cannot_be_foreseen(web: Web) -> None:
    """Otherwise a client could register thousands of names in advance, which every quickstart would have to skip."""
    numbers = []
    for _ in range(4):
        web.register("dora")
        numbers.append(int(start(web)["register_request"]["json"]["name"].rpartition("-")[2]))
    assert len({later - earlier for earlier, later in pairwise(numbers)}) == 3


def test_names_taken_in_advance_are_passed_over(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    kind, _, number = start(web)["register_request"]["json"]["name"].rpartition("-")
    for taken, agent in enumerate((alice, bob)):
        operator.rewrite(
            "UPDATE agents SET name = $1 WHERE name = $2", f"{kind.upper()}-{int(number) + taken}", agent.name
        )
    request = start(web)["register_request"]
    assert request["json"]["name"] == f"{kind}-{int(number) + 2}"
    assert send(web, request).status == 201

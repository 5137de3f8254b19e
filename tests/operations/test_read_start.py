"""read_start: GET /api/start (interface 12.1): all that a new agent needs, and a registration that works unchanged."""

import asyncio
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from services.board.database.connections import direct_connection
from tests.operations.hand import Operator
from tests.operator import play
from tests.posts.locks import until
from tests.web import Agent, Answer, Web

START = "/api/start"
READER_WAITS = """
SELECT count(*) > 0 FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'agent-board reads' AND wait_event_type = 'Lock'
"""


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


async def test_numbers_and_opportunities_are_of_one_moment(alice: Agent, web: Web, shared_database: str) -> None:
    thread = alice.thread()
    async with direct_connection(shared_database) as other:
        async with other.transaction():
            await other.execute("LOCK TABLE posts")
            answer = asyncio.create_task(asyncio.to_thread(start, web))
            await until(lambda: other.fetchval(READER_WAITS))
            # a thread is published between the statement that counts the threads and the one that shows them
            token_hash = await other.fetchval("SELECT token_hash FROM agents WHERE name = $1", alice.name)
            assert await play.published(other, play.Post(token_hash)) == thread["id"] + 1
        shown = await answer
    assert shown["opportunities"][0] == thread
    assert start(web)["stats"]["threads"] == shown["stats"]["threads"] + 1

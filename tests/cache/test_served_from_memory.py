"""Public reads are served from ready bytes if their content has not changed: no query, the same headers."""

import re
import secrets
from typing import Any

import pytest

from services.api.cache.tags import is_remembered
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import TILES, each_of, target_of
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

REMEMBERED = [operation for operation in OPERATIONS if is_remembered(operation)]
CHANGING = {"X-Request-Id", "Date", "Ignored-Parameters", "Content-Length"}
# of all statements but the tail's, the newest
NEWEST = (
    "SELECT coalesce(max(query_start), 'epoch')::text FROM pg_stat_activity WHERE datname = current_database()"
    " AND application_name IN ('agent-board reads', 'agent-board writes') AND pid <> pg_backend_pid()"
)
QUERIES = {
    "search_board": ["?q=question"],
    "list_agent_posts": ["?limit=1"],
    "list_threads": ["?community=general", "?author=alice&sort=active", "?as_of=1"],
}


def targets(operation: Operation, alice: Agent, thread: dict[str, Any]) -> list[str]:
    path = target_of(operation).format(id=thread["id"], name=alice.name, slug="general", **TILES)
    return [path, *(path + query for query in QUERIES.get(operation.name, ()))]


def metric(api: ApiProcess, name: str) -> float:
    """Return the sum of a metric over its labels."""
    return value_in(api.operator("/metrics")[1], name)


def value_in(page: str, name: str) -> float:
    return sum(float(value) for value in re.findall(rf"^agent_board_{name}(?:{{.*}})? ([0-9.e+]+)$", page, re.M))


def told(answer: Answer) -> tuple[int, dict[str, str], bytes]:
    """Return the parts that all readers of an answer share; each also has its own ignored parameters."""
    body = answer.content.partition(b',"ignored_parameters":')[0].removesuffix(b"}\n")
    return answer.status, {k: v for k, v in answer.headers.items() if k not in CHANGING}, body


def newest_statement(operator: Operator) -> str:
    ((moment,),) = operator.sql(NEWEST)
    return str(moment)


@pytest.fixture
def thread(alice: Agent) -> dict[str, Any]:
    made = alice.thread()
    alice.get("/api/stats")
    return made


@each_of(REMEMBERED)
def test_a_second_read_asks_the_database_nothing_and_says_the_same(
    operation: Operation, alice: Agent, web: Web, api: ApiProcess, operator: Operator, thread: dict[str, Any]
) -> None:
    for target in targets(operation, alice, thread):
        first = web.get(target)
        before, counted = newest_statement(operator), api.operator("/metrics")[1]
        second, headed = web.get(target), web.call("HEAD", target)
        unchanged = web.get(target, headers={"If-None-Match": first.headers["ETag"]})
        # an answer that leaves out what is the caller's is remembered for each caller
        own = (web if operation.personal else alice).get(target)
        assert newest_statement(operator) == before, "DEPENDS in tags.py, or call.tags of the handler"
        assert told(second) == told(first) == told(own)
        assert told(headed) == (200, told(first)[1], b"")
        assert (unchanged.status, unchanged.content, unchanged.headers["ETag"]) == (304, b"", first.headers["ETag"])
        assert len({answer.headers["X-Request-Id"] for answer in (first, second, headed, unchanged, own)}) == 5
        page = api.operator("/metrics")[1]
        assert value_in(page, "memory_hits_total") - value_in(counted, "memory_hits_total") >= 4
        assert value_in(page, "memory_misses_total") == value_in(counted, "memory_misses_total")


def test_a_vote_on_one_thread_leaves_the_other_in_memory(alice: Agent, bob: Agent, web: Web, api: ApiProcess) -> None:
    voted, other = alice.thread(), alice.thread()
    paths = [f"/api/threads/{thread['id']}" for thread in (voted, other)]
    bob.get("/api/agents/me")
    for path in paths:
        web.get(path)
    bob.vote(voted, 1)
    misses = metric(api, "memory_misses_total")
    assert web.get(paths[1]).json["thread"]["score"] == 0
    assert metric(api, "memory_misses_total") == misses
    assert web.get(paths[0]).json["thread"]["score"] == 1
    assert metric(api, "memory_misses_total") == misses + 1


def test_an_answer_from_memory_closes_the_connection_when_it_is_asked_to(web: Web, alice: Agent) -> None:
    assert [web.get("/api/stats").headers["Connection"] for _ in range(2)] == ["keep-alive"] * 2
    assert web.get("/api/stats", headers={"Connection": "close"}).headers["Connection"] == "close"


@pytest.mark.parametrize(
    "urls",
    [
        ["/api/threads?sort=active&limit=5", "/api/threads?limit=5&sort=active", "/api/threads?limit=5&sort=act%69ve"],
        ["/api/threads", "/api/threads?utm_source=x", "/api/threads?community=&offset=0&limit=25", "/api/threads?"],
        ["/api/stats", "/api/stats?%FF", "/api/stats?limit=5"],
        ["/llms.txt", "/llms.txt?v=2"],
        ["/api/agents/{name}", "/api/agents/{NAME}", "/api/agents/{name}?sort=new"],
    ],
)
def test_urls_that_mean_the_same_share_an_answer(urls: list[str], alice: Agent, web: Web, api: ApiProcess) -> None:
    urls = [url.format(name=alice.name, NAME=alice.name.upper()) for url in urls]
    first = web.get(urls[0])
    rebuilds = metric(api, "memory_rebuilds_total")
    assert [told(web.get(url)) for url in urls[1:]] == [told(first)] * len(urls[1:])
    assert metric(api, "memory_rebuilds_total") == rebuilds


def check_kept_404(web: Web, operator: Operator, path: str) -> Answer:
    """Check that a 404 is answered again without a query; return it."""
    first = web.get(path)
    before = newest_statement(operator)
    second = web.get(path)
    assert (first.status, second.status) == (404, 404)
    assert newest_statement(operator) == before
    # the body has the id of each request
    assert first.json["request_id"] != second.json["request_id"]
    return second


def test_a_404_of_a_post_is_kept_until_the_post_appears(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    number = thread["id"] + 1
    paths = [f"/api/threads/{number}", f"/api/posts/{number}/receipt"]
    for path in paths:
        check_kept_404(web, operator, path)
    assert alice.thread()["id"] == number
    assert [web.get(path).status for path in paths] == [200, 200]
    operator.hide({"id": number})
    for path in paths:
        check_kept_404(web, operator, path)
    operator.unhide({"id": number})
    assert [web.get(path).status for path in paths] == [200, 200]
    # a reply's id is that of no thread, but gets a hint
    path = f"/api/threads/{number + 1}"
    assert "reply" not in check_kept_404(web, operator, path).json["hint"]
    alice.reply(thread)
    assert f"thread {thread['id']}" in check_kept_404(web, operator, path).json["hint"]


def test_a_404_of_a_name_is_kept_until_the_agent_registers(web: Web, operator: Operator) -> None:
    name = f"Dora {secrets.token_hex(5)}"
    paths = [f"/api/agents/{name.replace(' ', '%20')}", f"/api/agents/{name.replace(' ', '%20').upper()}"]
    for path in paths:
        check_kept_404(web, operator, path)
    assert web.post("/api/agents/register", {"name": name}).status == 201
    assert [web.get(path).json["name"] for path in paths] == [name, name]


def test_every_remembered_operation_is_tested_here() -> None:
    assert {operation.name for operation in REMEMBERED} == {
        operation.name for operation in OPERATIONS
        if operation.method == GET and not operation.effect.needs_token and operation.name != "check_health"
    }  # fmt: skip

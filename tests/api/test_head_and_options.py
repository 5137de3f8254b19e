"""HEAD and OPTIONS (interface 2.5): every read supports HEAD, and every path lists its methods."""

import re
from typing import Any

import pytest

from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.api.raw import Raw
from tests.contract.examples import each_of, each_path, path_of
from tests.raw import bearer, request
from tests.web import Agent, Answer, Web

READS = [operation for operation in OPERATIONS if operation.method == GET]
VARIES = ("Date", "X-Request-Id")


def headers_of(answer: Answer) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in VARIES}


@pytest.fixture
def thread(alice: Agent) -> dict[str, Any]:
    return alice.thread()


@each_of(READS)
def test_head_is_get_without_the_content(alice: Agent, raw: Raw, operation: Operation, thread: dict[str, Any]) -> None:
    path, token = path_of(operation, alice, thread), bearer(alice.token)
    got = raw.ask(request("GET", path, None, token, "Accept: text/html"))
    headed = raw.ask(request("HEAD", path, None, token, "Accept: text/html"))
    assert (got.status, headed.status, headed.content) == (200, 200, b"")
    # the headers should describe the omitted content
    assert got.headers["Content-Type"] == operation.media_type
    assert int(got.headers["Content-Length"]) == len(got.content) > 0
    varying = () if operation.untagged is None else ("Content-Length", "Link")
    for name in varying:
        del got.headers[name], headed.headers[name]
    assert headers_of(headed) == headers_of(got)
    assert raw.is_usable()


HEADED = [
    ("/llms.txt", 200),
    ("/api/threads", 200),
    ("/api/home", 401),
    ("/api/threads/9007199254740991", 404),
    ("/api/threads?limit=0", 400),
    ("/api/agents/register", 405),
    ("/nowhere", 404),
]


@pytest.mark.parametrize(("target", "status"), HEADED)
def test_an_answer_to_head_ends_with_its_head(raw: Raw, target: str, status: int) -> None:
    answer = raw.send(request("HEAD", target, None, "Connection: close")).rest()
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    # the answer should give the content length of the GET and send no content
    head, _, content = answer.partition(b"\r\n\r\n")
    assert re.search(rb"\r\nContent-Length: [1-9]", head)
    assert content == b""


@each_path
def test_options_lists_the_methods_of_the_path(
    alice: Agent, web: Web, operations: list[Operation], thread: dict[str, Any]
) -> None:
    declared = {operation.method for operation in operations}
    allowed = sorted(declared | {"OPTIONS"} | ({"HEAD"} if GET in declared else set()))
    target = path_of(operations[0], alice, thread)
    answer = web.call("OPTIONS", target)
    assert (answer.status, answer.content, answer.effect) == (200, b"", "none")
    assert answer.headers["Allow"] == ", ".join(allowed)
    assert answer.headers["Cache-Control"] == "no-store"
    # a 405 should list the same methods
    for method in ("DELETE", "PUT", "TRACE", "POST", "PATCH", "HEAD", "GET"):
        if method not in allowed:
            refused = web.call(method, target)
            assert (refused.status, refused.headers["Allow"]) == (405, ", ".join(allowed))

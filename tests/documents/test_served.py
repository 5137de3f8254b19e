"""Every fixed document over HTTP: its media type, its tag, its cache lifetime, and that it needs no token."""

import re

import pytest

from services.contract.operation import Operation
from services.contract.operations import CLIENT_WHEEL, OPERATIONS
from tests.web import Web

DOCUMENTS = [operation for operation in OPERATIONS if operation.document]
over_documents = pytest.mark.parametrize("operation", DOCUMENTS, ids=lambda operation: str(operation.path))
LIFETIMES = {True: "public, max-age=300", False: "public, max-age=0, must-revalidate"}
# interface 2.5
MEDIA_TYPES = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "/join": "text/markdown; charset=utf-8",
    "/stay-in-the-loop": "text/markdown; charset=utf-8",
    "/llms.txt": "text/markdown; charset=utf-8",
    "/robots.txt": "text/plain; charset=utf-8",
    "/.well-known/security.txt": "text/plain; charset=utf-8",
    "/about": "text/html; charset=utf-8",
    "/docs": "text/html; charset=utf-8",
    "/style.css": "text/css; charset=utf-8",
    "/script.js": "text/javascript; charset=utf-8",
    f"/client/{CLIENT_WHEEL}": "application/octet-stream",
    "/favicon.svg": "image/svg+xml",
}


def test_the_documents_are_those_of_the_interface() -> None:
    assert {operation.path for operation in DOCUMENTS} == {
        "/skill.md", "/heartbeat.md", "/rules.md", "/welcome.md", "/communication.md", "/join", "/stay-in-the-loop",
        "/openapi.json", "/effects.json", "/llms.txt", "/robots.txt", "/.well-known/agent.json",
        "/.well-known/agent-card.json", "/.well-known/security.txt",
        "/about", "/docs", "/style.css", "/script.js", "/favicon.svg",
        f"/client/{CLIENT_WHEEL}",
    }  # fmt: skip


@over_documents
def test_it_is_public_and_may_be_kept_for_five_minutes_if_it_never_changes(web: Web, operation: Operation) -> None:
    answer = web.get(operation.path)
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Content-Type"] == MEDIA_TYPES.get(
        operation.path, MEDIA_TYPES.get(operation.path.rpartition(".")[2])
    )
    assert answer.headers["Cache-Control"] == LIFETIMES[operation.fixed]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert int(answer.headers["Content-Length"]) == len(answer.content) > 0
    if operation.name == "read_client":
        return
    # the document should be UTF-8, and end with a line break
    assert answer.content.decode().endswith("\n")


@over_documents
def test_head_says_the_same_without_the_body(web: Web, operation: Operation) -> None:
    full, head = web.get(operation.path), web.call("HEAD", operation.path)
    assert (head.status, head.content) == (200, b"")
    own = {"X-Request-Id", "Date"}
    assert {name: value for name, value in head.headers.items() if name not in own} == {
        name: value for name, value in full.headers.items() if name not in own
    }


@over_documents
def test_it_is_not_sent_to_who_has_it(web: Web, operation: Operation) -> None:
    tag = web.get(operation.path).headers["ETag"]
    assert re.fullmatch(r'W/"[0-9a-f]{32}"', tag)
    for method in ("GET", "HEAD"):
        answer = web.call(method, operation.path, headers={"If-None-Match": tag})
        assert (answer.status, answer.content) == (304, b"")
        assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == (tag, LIFETIMES[operation.fixed])
        assert answer.headers["Content-Type"] is None


@over_documents
def test_a_query_makes_no_difference(web: Web, operation: Operation) -> None:
    assert web.get(f"{operation.path}?utm_source=x").content == web.get(operation.path).content

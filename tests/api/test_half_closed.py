"""A client may close its own direction after its last request: it still gets every answer."""

import socket
from collections.abc import Callable

import pytest

from tests.api.raw import PING, Raw, as_json, bearer, request
from tests.web import Agent

NEW = as_json({"title": "t", "body": "b"})


def finish(raw: Raw, *parts: bytes) -> Raw:
    """Send the last bytes of a connection."""
    raw.send(*parts).socket.shutdown(socket.SHUT_WR)
    return raw


def test_what_was_sent_is_answered(alice: Agent, raw: Raw) -> None:
    post = request("POST", "/api/threads", NEW, bearer(alice.token))
    finish(raw, PING * 3, post, request("GET", "/nowhere"))
    assert [raw.answer().status for _ in range(5)] == [200, 200, 200, 201, 404]
    assert raw.is_closed()


def test_a_large_answer_arrives_whole(raw: Raw, connect: Callable[[], Raw]) -> None:
    whole = connect().ask(request("GET", "/openapi.json")).content
    finish(raw, request("GET", "/openapi.json") * 20)
    assert [raw.answer().content for _ in range(20)] == [whole] * 20
    assert raw.is_closed()


def test_nothing_is_answered_with_nothing(raw: Raw) -> None:
    assert finish(raw).is_closed()


@pytest.mark.parametrize(
    ("sent", "part"),
    [
        (PING[:-1], "head"),
        (b"GET", "head"),
        (request("POST", "/api/agents/register", b"{}")[:-1], "body"),
        (request("POST", "/api/agents/register", None, "Transfer-Encoding: chunked") + b"2\r\n{}", "body"),
    ],
)
def test_an_incomplete_request_is_refused(raw: Raw, sent: bytes, part: str) -> None:
    answer = finish(raw, PING, sent).answer()
    assert answer.status == 200
    answer = raw.answer()
    assert (answer.status, answer.codes) == (400, [(part, "bad_format")])
    assert raw.is_closed()

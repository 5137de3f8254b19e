"""The body limit (interface 2.4): 256 KiB are accepted, one byte more is a 413, however the body is sent."""

import pytest

from services.contract.bounds import BODY_BYTES_MAX
from tests.api.raw import Raw
from tests.raw import bearer, request
from tests.web import Agent, Answer

THREADS = "/api/threads"
EXPECT = "Expect: 100-continue"


def padded(size: int) -> bytes:
    """A valid body of this many bytes."""
    return b'{"title": "t", "body": "b"}'.ljust(size)


def chunked(agent: Agent, body: bytes, size: int) -> bytes:
    head = request("POST", THREADS, None, bearer(agent.token), "Transfer-Encoding: chunked")
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    head = head.replace(b"\r\n\r\n", b"\r\nContent-Type: application/json\r\n\r\n")
    return head + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def said_too_large(answer: Answer) -> bool:
    return (answer.status, answer.code) == (413, "body_too_large") and str(BODY_BYTES_MAX) in answer.json["detail"]


def test_256_kib_pass(alice: Agent, raw: Raw) -> None:
    assert BODY_BYTES_MAX == 262_144
    assert raw.ask(request("POST", THREADS, padded(BODY_BYTES_MAX), bearer(alice.token))).status == 201
    assert raw.is_usable()


def test_256_kib_in_chunks_pass(alice: Agent, raw: Raw) -> None:
    for size in (7001, BODY_BYTES_MAX):
        assert raw.ask(chunked(alice, padded(BODY_BYTES_MAX), size)).status == 201
    # the size of the chunks should not matter
    assert raw.ask(chunked(alice, padded(1000), 1)).status == 201
    assert raw.is_usable()


@pytest.mark.parametrize("size", [BODY_BYTES_MAX + 1, 2 * BODY_BYTES_MAX])
def test_more_is_refused_and_the_connection_stays(alice: Agent, raw: Raw, size: int) -> None:
    whole = request("POST", THREADS, padded(size), bearer(alice.token))
    for sent in (whole, chunked(alice, padded(size), 9001), chunked(alice, padded(size), size)):
        answer = raw.ask(sent)
        assert said_too_large(answer)
        assert answer.headers["Connection"] == "keep-alive"
        assert raw.is_usable()


def test_chunks_are_refused_as_soon_as_they_are_too_many(alice: Agent, raw: Raw) -> None:
    sent = chunked(alice, padded(BODY_BYTES_MAX + 1), 9001)
    # the rest should not be waited for, nor kept
    assert said_too_large(raw.send(sent.removesuffix(b"0\r\n\r\n")).answer())


@pytest.mark.parametrize("length", ["1048577", "99999999999", "9" * 40])
def test_a_huge_length_is_refused_before_anything_is_sent(alice: Agent, raw: Raw, length: str) -> None:
    head = request("POST", THREADS, None, bearer(alice.token), f"Content-Length: {length}")
    assert said_too_large(raw.ask(head))
    assert raw.is_closed()


# Expect: 100-continue


def test_a_body_is_asked_for_when_it_is_wanted(alice: Agent, raw: Raw) -> None:
    body = padded(1000)
    head = request("POST", THREADS, body, bearer(alice.token), EXPECT)[: -len(body)]
    assert raw.send(head).answer().status == 100
    assert raw.ask(body).status == 201
    assert raw.is_usable()

"""A chunked body is read in any pieces, and refused as soon as it is wrong."""

import random

import pytest

from services.api.http.receiving import MalformedChunks, has_chunk_line
from services.contract.bounds import BODY_BYTES_MAX
from tests.api.raw import Raw
from tests.raw import bearer, request
from tests.web import Agent


def chunked(body: bytes, size: int) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"\r\n" + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def test_a_line_is_refused_as_soon_as_it_is_wrong() -> None:
    for begun in (b"x", b"\r\r", b"\r\n ", b"\r\n2 \r", b"\r\n0\r\nX", b"\r\n" + b"0" * 40, b"\r\n1;" + b"a" * 200):
        with pytest.raises(MalformedChunks):
            has_chunk_line(bytearray(begun))


def test_a_body_may_be_cut_anywhere(alice: Agent, raw: Raw) -> None:
    chance, body = random.Random(7), b'{"title": "t", "body": "%b"}' % (b"b" * 300)
    fields = (bearer(alice.token), "Content-Type: application/json", "Transfer-Encoding: chunked")
    for size in (1, 15, 16, 1000):
        sent = request("POST", "/api/threads", None, *fields) + chunked(body, size)[2:]
        cuts = sorted(chance.sample(range(len(sent)), 20))
        for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True):
            raw.send(sent[start:end])
        assert raw.answer().json["body"] == "b" * 300
    assert raw.is_usable()


def test_a_body_of_tiny_chunks_is_taken(alice: Agent, raw: Raw) -> None:
    body = b'{"title": "t", "body": "b"}'.ljust(BODY_BYTES_MAX)
    fields = (bearer(alice.token), "Content-Type: application/json", "Transfer-Encoding: chunked")
    raw.send(request("POST", "/api/threads", None, *fields), chunked(body, 1)[2:])
    assert raw.answer().status == 201
    assert raw.is_usable()

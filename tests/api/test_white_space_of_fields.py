"""White space around a value of a head, SP and HTAB, is not part of it (RFC 9110, 5.5), whatever reads the value."""

from typing import Any

import pytest

from tests.api.raw import Raw
from tests.cases import for_each
from tests.raw import as_json, request
from tests.web import Agent

BEFORE_AND_AFTER = [("", " "), ("", "\t"), ("", " \t"), ("\t", ""), (" \t ", "\t \t")]
padded = pytest.mark.parametrize(("before", "after"), BEFORE_AND_AFTER)
THREADS = "/api/threads"
NEW = {"title": "A title", "body": "A body"}


def fields(before: str, after: str, **values: Any) -> list[str]:
    return [f"{name.replace('_', '-')}:{before}{value}{after}" for name, value in values.items()]


@padded
def test_a_write_reads_its_fields(before: str, after: str, alice: Agent, raw: Raw) -> None:
    body = as_json(NEW)
    sent = fields(
        before,
        after,
        Authorization=f"Bearer {alice.token}",
        Idempotency_Key="once",
        Content_Type="Application/JSON; charset=utf-8",
        Content_Length=len(body),
        Content_Encoding="Identity",
        Expect="100-continue",
        Connection="Keep-Alive",
    )
    assert raw.send(request("POST", THREADS, None, *sent)).answer().status == 100
    first = raw.ask(body)
    assert (first.status, first.headers["Connection"]) == (201, "keep-alive")
    # its key has no white space, so the same key without it finds the post
    plain = [f"Authorization: Bearer {alice.token}", "Idempotency-Key: once"]
    again = raw.ask(request("POST", THREADS, body, *plain))
    assert (again.json["id"], again.headers["Idempotent-Replayed"]) == (first.json["id"], "true")


@padded
def test_chunks_are_read(before: str, after: str, alice: Agent, raw: Raw) -> None:
    body = as_json(NEW)
    sent = fields(before, after, Authorization=f"Bearer {alice.token}", Transfer_Encoding="Chunked")
    head = request("POST", THREADS, None, *sent, "Content-Type: application/json")
    assert raw.ask(head, b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)).status == 201
    assert raw.is_usable()


@padded
def test_a_read_reads_its_fields(before: str, after: str, alice: Agent, raw: Raw) -> None:
    me = fields(before, after, Authorization=f"Bearer {alice.token}")
    first = raw.ask(request("GET", "/api/agents/me", None, *me))
    assert first.status == 200
    known = fields(before, after, If_None_Match=first.headers["ETag"])
    assert raw.ask(request("GET", "/api/agents/me", None, *me, *known)).status == 304
    page = raw.ask(request("GET", "/", None, *fields(before, after, Accept="text/HTML")))
    assert page.headers["Content-Type"].startswith("text/html")
    # not ask, which reads the content
    coded = raw.send(request("GET", "/skill.md", None, *fields(before, after, Accept_Encoding="GZIP;q=1"))).answer()
    assert coded.headers["Content-Encoding"] == "gzip"


@for_each("other", ["\u00a0", "\u0085", "\u2003", "\x1f", "\x1c"])
@for_each("before", [True, False])
def test_other_characters_are_part_of_the_value(other: str, before: bool, alice: Agent, raw: Raw) -> None:
    key = (other + "key" if before else "key" + other).encode().decode("latin-1")
    sent = [f"Authorization: Bearer {alice.token}", f"Idempotency-Key: {key}"]
    answer = raw.ask(request("POST", THREADS, as_json(NEW), *sent))
    assert (answer.status, answer.json["code"]) == (400, "invalid_idempotency_key")


@pytest.mark.parametrize(
    ("fields", "stays"),
    [
        ((), True), (("keep-alive",), True), (("Keep-Alive\t",), True), (("keep-alive, keep-alive",), True),
        ((" , keep-alive",), True), (("",), True), (("close\t",), False), (("keep-alive, close",), False),
        (("close", "keep-alive"), False), (("keep-alive", "CLOSE"), False),
    ],
)  # fmt: skip
def test_a_connection_stays_open_or_ends_as_its_client_wants(fields: tuple[str, ...], stays: bool, raw: Raw) -> None:
    answer = raw.ask(request("GET", "/api/health", None, *(f"Connection: {value}" for value in fields)))
    assert answer.headers["Connection"] == ("keep-alive" if stays else "close")
    assert raw.is_usable() if stays else raw.is_closed()

"""Closed registration is answered 403, whatever is sent, with a limiter or without (interface 3.4, 4.2)."""

from collections.abc import Iterator

import pytest

from services.board.access.tokens import new_token
from services.contract.bounds import BODY_BYTES_MAX
from tests.api.raw import Raw
from tests.cases import for_each
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.raw import bearer

REGISTER = "POST /api/agents/register{query} HTTP/1.1\r\nHost: board.example\r\n"
JSON = "Content-Type: application/json"
KEY = "Idempotency-Key: a-key-of-16-char"
GOOD = b'{"name": "dora"}'
SECRET = b'{"name": "dora", "bio": "%b"}' % new_token().encode()

# the headers and the body of registrations that no board accepts, and of some that an open board accepts
SENT: dict[str, tuple[list[str], bytes]] = {
    "a good body": ([JSON], GOOD),
    "no body": ([], b""),
    "a wrong type": ([JSON], b'{"name": 7}'),
    "no JSON": ([JSON], b"name=dora"),
    "a secret": ([JSON], SECRET),
    "another media type": (["Content-Type: text/plain"], GOOD),
    "too large": ([JSON], GOOD.ljust(BODY_BYTES_MAX + 1)),
    "two keys": ([JSON, KEY, "Idempotency-Key: another-key-of-it"], GOOD),
    "a bad token": ([JSON, bearer(new_token())], GOOD),
}


@pytest.fixture(scope="module")
def closed(module_api: ApiProcess, module_operator: Operator) -> Iterator[Raw]:
    """A connection to a board that has closed registration."""
    module_operator.set_registration(False)
    with Raw(module_api.url) as raw:
        yield raw


@for_each("more", [[], [KEY]])
@for_each("query", ["", "?dora", "?name=%ff&x"])
@for_each("headers, body", SENT.values(), ids=SENT)
def test_closed_registration_is_403_whatever_is_sent(
    closed: Raw, headers: list[str], body: bytes, query: str, more: list[str]
) -> None:
    lines = [*headers, *more, f"Content-Length: {len(body)}"]
    head = REGISTER.format(query=query) + "".join(f"{line}\r\n" for line in lines) + "\r\n"
    answer = closed.ask(head.encode() + body)
    assert (answer.status, answer.code, answer.json["errors"]) == (403, "registration_closed", [])
    assert answer.effect == "account-create;scope=public;reversible=?0;applied=?0"
    assert closed.is_usable()


def test_a_body_that_is_no_body_is_403_too(closed: Raw, module_api: ApiProcess) -> None:
    head = REGISTER.format(query="") + JSON + "\r\nTransfer-Encoding: chunked\r\n"
    for key in ("", f"{KEY}\r\n"):
        with Raw(module_api.url) as raw:
            answer = raw.ask(f"{head}{key}\r\nnot a chunk\r\n".encode())
            assert (answer.status, answer.code) == (403, "registration_closed")

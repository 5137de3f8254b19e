"""Conditional requests (interface 2.6): which tags match, and which checks come before them.

tests/contract/test_headers.py makes a conditional read of every operation.
"""

from collections.abc import Callable
from typing import Any

import pytest

from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import each_of, path_of
from tests.web import Agent, Answer, Web

READS = [operation for operation in OPERATIONS if operation.method == GET]
MISSING = {
    "id": 9007199254740991,
    "name": "nobody-has-this-name",
    "slug": "nowhere-at-all",
    "bundle": "x001/000",
    "tile": "5/000",
}
Read = Callable[..., Answer]
# One operation for each way in which the code finds an answer and its tag: a fixed document, a list and a page of the
# memory, a private read, a stream, and a receipt, whose tag is strong.
WAYS = ("read_llms", "list_threads", "show_board", "read_me", "list_activity", "read_receipt")
each_read = each_of(READS)
each_way = each_of(operation for operation in READS if operation.name in WAYS)


@pytest.fixture
def thread(alice: Agent) -> dict[str, Any]:
    return alice.thread()


@pytest.fixture
def read(alice: Agent, thread: dict[str, Any]) -> Read:
    """A function that calls an operation on a thread by alice."""

    def call(operation: Operation, *if_none_match: str, **headers: str) -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if if_none_match:
            sent["If-None-Match"] = ", ".join(if_none_match)
        return alice.get(path_of(operation, alice, thread), headers=sent)

    return call


def test_a_304_leaves_the_link_to_the_next_page_to_the_kept_answer(alice: Agent) -> None:
    for _ in range(2):
        alice.thread()
    full = alice.get("/api/threads?limit=1")
    assert 'rel="next"' in full.headers["Link"]
    answer = alice.get("/api/threads?limit=1", headers={"If-None-Match": full.headers["ETag"]})
    assert (answer.status, answer.headers["Link"]) == (304, None)


@each_way
def test_the_tag_matches_in_all_its_forms(operation: Operation, read: Read) -> None:
    tag = read(operation).headers["ETag"]
    opaque = tag.removeprefix("W/")
    # the tag should match whether weak or strong, in a list, with odd white space, and as a star
    for sent in (
        opaque,
        f"W/{opaque}",
        f'"a", {tag},"b"',
        f'W/"a",{opaque}',
        f'"a,b", W/"c,", {tag}, "",",,"',
        f'"\xe9", {tag}, "!#[]^~"',
        f'W/"a"\t , {tag}\t,',
        f"  {tag}",
        f',"x" ,{tag} ,',
        "*",
    ):
        assert read(operation, sent).status == 304, sent
    assert read(operation, '"a"', tag, 'W/"b"').status == 304


@each_way
def test_another_tag_does_not_match(operation: Operation, read: Read) -> None:
    tag = read(operation).headers["ETag"]
    opaque = tag.removeprefix("W/")
    inner = opaque.strip('"')
    for sent in ('"a"', 'W/"a"', inner, f"w/{opaque}", f'"{inner}', f'"x{inner}"', f'"W/{inner}"', "", '"*"', "é"):
        answer = read(operation, sent)
        assert (answer.status, bool(answer.content)) == (200, True), sent


@each_way
def test_what_is_no_list_of_tags_matches_nothing(operation: Operation, read: Read) -> None:
    tag = read(operation).headers["ETag"]
    opaque = tag.removeprefix("W/")
    # the answer should be complete, because the header is ambiguous
    for sent in (
        f'"a,{opaque},b"',
        f'"a, {opaque}, b"',
        f"{tag} {tag}",
        f"{tag};q=1",
        f"a, {tag}",
        f"{tag}, a",
        f"{tag}, *",
        f"*, {tag}",
        "*, *",
        "W/*",
        "W/",
        f"W/ {opaque}",
        f"W/W/{opaque}",
        f"'{opaque}'",
        f'"{opaque}"',
        opaque[:-1],
        opaque[1:],
        ",",
        '"',
        '" "',
        f'{tag}, "',
        "," * 4000,
        '"' * 4001,
        '"",' * 1300 + "x",
    ):
        answer = read(operation, sent)
        assert (answer.status, bool(answer.content)) == (200, True), sent


@each_way
def test_a_date_alone_is_taken_no_notice_of_and_never_outdoes_a_tag(operation: Operation, read: Read) -> None:
    tag = read(operation).headers["ETag"]
    for date in ("Fri, 01 Jan 2100 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "yesterday"):
        assert read(operation, If_Modified_Since=date).status == 200
        assert read(operation, '"a"', If_Modified_Since=date).status == 200
        assert read(operation, tag, If_Modified_Since=date).status == 304
        assert read(operation, tag, If_Unmodified_Since=date).status == 304


@each_read
def test_what_is_refused_comes_before_the_precondition(
    read: Read, operation: Operation, alice: Agent, web: Web, thread: dict[str, Any]
) -> None:
    path = path_of(operation, alice, thread)
    for match in (read(operation).headers["ETag"], "*"):
        condition = {"If-None-Match": match}
        refusals = {401: web.get(path, token="agb_nonsense", headers=dict(condition))}
        if operation.query is not None:
            refusals[400] = alice.get(f"{path}{'&' if '?' in path else '?'}%FF", headers=dict(condition))
        if operation.finds and "{" in operation.path:
            refusals[404] = alice.get(operation.path.format(**MISSING), headers=dict(condition))
        for status, answer in refusals.items():
            assert (answer.status, answer.headers["ETag"], answer.headers["Vary"]) == (status, None, None)
            assert (answer.headers["Cache-Control"], bool(answer.content)) == ("no-store", True)


def test_a_write_takes_no_notice_of_it_and_has_no_tag(alice: Agent) -> None:
    for number in range(11):
        answer = alice.post("/api/threads", {"title": "t", "body": "b"}, headers={"If-None-Match": "*"})
        assert (answer.status, answer.headers["ETag"]) == (201 if number < 10 else 429, None)


def test_two_headers_are_one_list(alice: Agent) -> None:
    tag = alice.get("/api/communities").headers["ETag"]
    alice.connection.putrequest("GET", "/api/communities")
    for value in ('"a"', tag):
        alice.connection.putheader("If-None-Match", value)
    alice.connection.endheaders()
    response = alice.connection.getresponse()
    assert (response.status, response.read()) == (304, b"")

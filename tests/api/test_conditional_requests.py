"""Conditional requests (decisions 2.7): an ETag on every GET, and 304 to who has the answer already."""

from collections.abc import Callable

import pytest

from services.board.contract.operations import GET, OPERATIONS, Operation
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

READS = [operation for operation in OPERATIONS if operation.method == GET]
KEPT = ("ETag", "Vary", "Cache-Control", "Agent-Effect", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers")
Read = Callable[..., Answer]


@pytest.fixture(params=READS, ids=lambda operation: str(operation.name))
def operation(request: pytest.FixtureRequest) -> Operation:
    found: Operation = request.param
    return found


@pytest.fixture
def read(alice: Agent, operation: Operation) -> Read:
    """Reads what the operation reads, of a thread by alice."""
    path = operation.path.format(id=alice.thread()["id"], name=alice.name)

    def call(*if_none_match: str, method: str = "GET") -> Answer:
        headers = {"If-None-Match": ", ".join(if_none_match)} if if_none_match else {}
        return alice.call(method, path, headers=headers)

    return call


def test_the_answer_has_a_tag(operation: Operation, read: Read) -> None:
    answer = read()
    assert answer.status == 200
    assert answer.headers["Vary"] == "Authorization, Accept-Encoding"
    # it should be weak, but for a receipt, which never changes
    assert answer.headers["ETag"].startswith('"' if operation.name == "read_receipt" else 'W/"')
    assert answer.headers["Cache-Control"] == operation.cache


def test_the_same_tag_is_answered_304_with_the_headers_of_the_200(read: Read) -> None:
    full = read()
    answer = read(full.headers["ETag"])
    assert (answer.status, answer.content) == (304, b"")
    assert {name: answer.headers[name] for name in KEPT} == {name: full.headers[name] for name in KEPT}


def test_the_tag_matches_in_all_its_forms(read: Read) -> None:
    tag = read().headers["ETag"]
    opaque = tag.removeprefix("W/")
    # it should be found weak or strong, in a list, with odd white space, and as a star
    for sent in (
        opaque,
        f"W/{opaque}",
        f'"a", {tag},"b"',
        f'W/"a",{opaque}',
        f"  {tag}\t",
        f',"x" ,{tag} ,',
        "*",
        " * ",
    ):
        assert read(sent).status == 304, sent
    assert read('"a"', tag, 'W/"b"').status == 304


def test_another_tag_does_not_match(read: Read) -> None:
    tag = read().headers["ETag"]
    opaque = tag.removeprefix("W/")
    inner = opaque.strip('"')
    for sent in ('"a"', 'W/"a"', inner, f"w/{opaque}", f'"{inner}', f'"x{inner}"', f'"W/{inner}"', "", '"*"', "é"):
        answer = read(sent)
        assert (answer.status, bool(answer.content)) == (200, True), sent


def test_head_is_conditional_too(read: Read) -> None:
    full = read(method="HEAD")
    assert (full.status, full.content) == (200, b"")
    assert full.headers["ETag"] == read().headers["ETag"]
    assert read(full.headers["ETag"], method="HEAD").status == 304


def test_a_bad_token_comes_before_the_precondition(read: Read, alice: Agent) -> None:
    alice.token = "agb_nonsense"
    answer = read("*")
    assert (answer.status, answer.headers["ETag"]) == (401, None)


def test_what_is_refused_comes_before_the_precondition(web: Web) -> None:
    for path, status in (
        ("/api/threads?limit=0", 400),
        ("/api/threads/9007199254740991", 404),
        ("/api/agents/nobody-has-this-name", 404),
        ("/nowhere", 404),
    ):
        answer = web.get(path, headers={"If-None-Match": "*"})
        assert (answer.status, answer.headers["ETag"]) == (status, None)


def test_a_write_takes_no_notice_of_it_and_has_no_tag(alice: Agent) -> None:
    for match in ("*", '"x"'):
        answer = alice.post("/api/threads", {"title": "t", "body": "b"}, headers={"If-None-Match": match})
        assert (answer.status, answer.headers["ETag"]) == (201, None)


def test_the_tag_of_an_account_changes_with_it(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    changes: list[Callable[[], object]] = [
        lambda: alice.patch("/api/agents/me", {"bio": "New."}),
        lambda: bob.vote(thread, 1),
        lambda: bob.reply(thread),
        lambda: alice.thread(),
        lambda: operator.hide(thread),
        lambda: operator.mark(alice.name),
    ]
    paths = ["/api/agents/me", f"/api/agents/{alice.name}", "/api/agents?sort=new"]
    for number, change in enumerate(changes):
        tags = [alice.get(path).headers["ETag"] for path in paths]
        change()
        now = [alice.get(path).headers["ETag"] for path in paths]
        # it should be another on every route that shows the change
        assert [was != tag for was, tag in zip(tags, now, strict=True)] == [True, True, True], number


def test_two_headers_are_one_list(alice: Agent) -> None:
    tag = alice.get("/api/communities").headers["ETag"]
    alice.connection.putrequest("GET", "/api/communities")
    for value in ('"a"', tag):
        alice.connection.putheader("If-None-Match", value)
    alice.connection.endheaders()
    response = alice.connection.getresponse()
    assert (response.status, response.read()) == (304, b"")

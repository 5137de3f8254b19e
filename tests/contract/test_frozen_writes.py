"""While writing is frozen, every write of agents is refused and changes nothing (interface 14.3)."""

from collections.abc import Iterator

import pytest

from services.board.access import freezes
from services.contract.operation import Operation
from tests.boards import EmptyBoard
from tests.contract.cases import Case, Stage, over_cases
from tests.contract.snapshot import difference, snapshot
from tests.operations.hand import WHO, Operator
from tests.web import Agent, Web

REASON = "A wave of spam."
# Still answered: malformed calls, tokens that do not work, and repeats of an accepted post.
AS_EVER = {
    "a replay", "a credential", "no vote", "nothing chosen", "two choices", "what cannot change", "a replaced token",
    "a repeat with a short key",
}  # fmt: skip
OF_POSTS = {("create_thread", "a key used otherwise"), ("create_reply", "a key used otherwise")}


@pytest.fixture
def web(empty_web: Web) -> Web:
    return empty_web


@pytest.fixture
def operator(empty_board: EmptyBoard) -> Iterator[Operator]:
    yield empty_board.operator
    empty_board.operator.act(lambda db: freezes.thaw(db, "", WHO))


@over_cases
def test_every_write_is_refused_and_changes_nothing(
    alice: Agent, bob: Agent, web: Web, operator: Operator, operation: Operation, case: Case
) -> None:
    thread = alice.thread()
    assert bob.get("/api/agents/me").status == 200
    make = case.prepare(Stage(alice, bob, web, operator, thread), operation.name)
    operator.act(lambda db: freezes.freeze(db, REASON, WHO, 3600))
    before = snapshot(operator)
    answer = make()
    assert difference(before, snapshot(operator)) == {}
    assert answer.effect == operation.effect.header(False), answer.content
    if case.label in AS_EVER or (operation.name, case.label) in OF_POSTS:
        assert answer.status == case.status
        return
    assert (answer.status, answer.code) == (503, "frozen")
    assert (answer.json["frozen"]["reason"], web.get("/api/start").json["frozen"]["reason"]) == (REASON, REASON)
    assert 60 <= answer.json["retry_after"] == int(answer.headers["Retry-After"]) <= 75
    operator.act(lambda db: freezes.thaw(db, "", WHO))
    assert make().status == case.status


def test_an_operator_account_announces_and_writes_nothing_else(alice: Agent, web: Web, operator: Operator) -> None:
    operator.mark(alice.name)
    operator.act(lambda db: freezes.freeze(db, REASON, WHO))
    assert alice.post("/api/threads", {"title": "t", "body": "b", "community": "announcements"}).status == 201
    assert alice.post("/api/threads", {"title": "t", "body": "b"}).code == "frozen"
    assert alice.post("/api/threads/1/replies", {"body": "b"}).code == "frozen"

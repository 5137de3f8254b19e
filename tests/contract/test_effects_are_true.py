"""The effect contract is true (interface 1.1, 5.1): a call makes only the changes that its effect allows.

Each call is made between two snapshots of the whole database. Every difference must be allowed in
tests/contract/allowed.py, and `applied` must state whether there is any.
"""

from collections.abc import Callable, Sequence

import pytest

from services.contract.bounds import BODY_BYTES_MAX
from services.contract.effects import ACCOUNT_CREATE, EFFECTS, INBOX_ACK, SUBSCRIPTION_WRITE
from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.boards import EmptyBoard
from tests.contract.allowed import ALLOWED, May
from tests.contract.cases import CASES, MISSING, UNKNOWN, WRITES, Case, Make, Stage, over_cases, query_of
from tests.contract.examples import belongings, body_of, call, over, path_of
from tests.contract.snapshot import Difference, Snapshot, difference, snapshot
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

READS = [operation for operation in OPERATIONS if operation.method == GET]
ANY_TAG = {"If-None-Match": "*"}


@pytest.fixture
def web(empty_web: Web) -> Web:
    """A board small enough that a test can compare all of it again and again."""
    return empty_web


@pytest.fixture
def operator(empty_board: EmptyBoard) -> Operator:
    return empty_board.operator


@pytest.fixture
def stage(alice: Agent, bob: Agent, web: Web, operator: Operator) -> Stage:
    thread = alice.thread()
    assert bob.get("/api/agents/me").status == 200
    return Stage(alice, bob, web, operator, thread)


def check(stage: Stage, operation: Operation, make: Callable[[], Answer]) -> tuple[Answer, bool]:
    """Make a call and check its changes against its effect. Returns its answer and whether it changed anything."""
    before = snapshot(stage.operator)
    answer = make()
    found = difference(before, snapshot(stage.operator))
    allowed = ALLOWED[operation.effect]
    for table, changes in found.items():
        assert table in allowed, (operation.name, answer.status, table, changes)
        check_table(stage, allowed[table], changes)
    assert answer.effect == operation.effect.header(bool(found)), "applied says whether anything changed"
    assert "agb_" not in str([changes.inserted for changes in found.values()]), "no token is stored"
    # a public change should appear once in the change feed
    assert "changes" not in allowed or bool(found) == ("changes" in found)
    return answer, bool(found)


def check_nothing(stage: Stage, operation: Operation, calls: Sequence[tuple[int, Make]], before: Snapshot) -> None:
    """Make calls that have these statuses and change nothing."""
    for status, make in calls:
        answer = make()
        assert (answer.status, answer.effect) == (status, operation.effect.header(False)), operation.name
    assert difference(before, snapshot(stage.operator)) == {}, operation.name


def check_table(stage: Stage, may: May, changes: Difference) -> None:
    assert len(changes.inserted) <= may.insert, changes
    assert len(changes.deleted) <= may.delete, changes
    assert len(changes.changed) <= 1, changes
    for key, names in changes.changed.items():
        assert names <= may.columns, names
        assert may.row is None or key == (stage.id_of(may.row),), (key, may.row)
    if may.by is not None:
        column, who = may.by
        assert {row[column] for row in changes.inserted + changes.deleted} <= {stage.id_of(who)}
    assert not may.kinds or {row["kind"] for row in changes.inserted} <= may.kinds


def test_every_effect_has_its_row_and_cases_change_something_or_nothing() -> None:
    assert list(ALLOWED) == list(EFFECTS)
    assert set(CASES) <= {operation.name for operation in WRITES}
    for name, cases in CASES.items():
        assert {case.changes for case in cases} == {True, False}, name


@over_cases
def test_a_write_changes_what_its_effect_allows_and_says_whether_it_did(
    stage: Stage, operation: Operation, case: Case
) -> None:
    answer, changed = check(stage, operation, case.prepare(stage, operation.name))
    assert (answer.status, changed) == (case.status, case.changes)


def test_a_refused_call_changes_nothing(stage: Stage) -> None:
    before = snapshot(stage.operator)
    for operation in OPERATIONS:
        check_nothing(stage, operation, refused_calls(stage, operation), before)


def refused_calls(stage: Stage, operation: Operation) -> list[tuple[int, Make]]:
    """Return the calls of an operation that must be refused, with the statuses of the answers.

    A precondition that holds is the last to be checked (interface 3.4).
    """
    path, web, caller = path_of(operation, stage.author, stage.thread), stage.web, stage.caller
    method, large = operation.method, b" " * (BODY_BYTES_MAX + 1)
    refused: list[tuple[int, Make]] = [(413, lambda: caller.call(method, path, content=large, headers=ANY_TAG))]
    if operation.effect is not ACCOUNT_CREATE:
        refused.append((401, lambda: web.call(method, path, {}, token=UNKNOWN, headers=ANY_TAG)))
    if operation.effect.needs_token:
        refused.append((401, lambda: web.call(method, path, headers=ANY_TAG)))
    if method == GET:
        refused.append((401, lambda: web.call("HEAD", path, token=UNKNOWN, headers=ANY_TAG)))
    if operation.body is not None:
        refused.append((400, lambda: caller.call(method, path, {"no such field": 1})))
        plain = {"Content-Type": "text/plain"}
        refused.append((415, lambda: caller.call(method, path, content=b"{}", headers=plain)))
    if operation.finds and operation.parameters:
        missing = operation.path.format(
            id=MISSING,
            event_id=MISSING,
            name="nobody-has-this-name",
            slug="nowhere-at-all",
            bundle="x001/000",
            tile="5/000",
        )
        refused.append((404, lambda: caller.call(method, missing, body_of(operation), headers=ANY_TAG)))
    return refused


@over(WRITES)
def test_a_write_that_fails_inside_changes_nothing(stage: Stage, operation: Operation) -> None:
    stage.thread |= belongings(operation, stage.caller, stage.operator.deliver)
    # refuse a statement that is part of every change: where there are several, the last one
    table = {SUBSCRIPTION_WRITE: "subscriptions", INBOX_ACK: "inbox"}.get(operation.effect, "changes")
    stage.operator.sql(f"ALTER TABLE {table} ADD CONSTRAINT nothing_more CHECK (false) NOT VALID")
    try:
        answer, changed = check(stage, operation, lambda: call(stage.caller, operation, stage.author, stage.thread))
    finally:
        stage.operator.sql(f"ALTER TABLE {table} DROP CONSTRAINT nothing_more")
    assert (answer.status, changed) == (500, False)


def test_a_read_changes_nothing_but_the_first_use_of_a_token(stage: Stage) -> None:
    for operation in READS:
        fresh = stage.web.register("dora")
        unused = snapshot(stage.operator)
        answer = fresh.get(path_of(operation, stage.author, stage.thread))
        used = snapshot(stage.operator)
        assert (answer.status, answer.effect) == (200, operation.effect.header(None))
        assert difference(unused, used) == {"agents": Difference(changed={(fresh_id(stage, fresh),): {"token_used"}})}
        check_nothing(stage, operation, repeated_reads(stage, operation, fresh), used)


def repeated_reads(stage: Stage, operation: Operation, fresh: Agent) -> list[tuple[int, Make]]:
    """Return the calls of a read that change nothing once its caller's token was used, with their statuses."""
    path, caller = path_of(operation, stage.author, stage.thread), stage.caller
    calls: list[tuple[int, Make]] = [
        (200, lambda: fresh.get(path)),
        (200, lambda: caller.get(path)),
        (200, lambda: caller.call("HEAD", path)),
        (304, lambda: caller.get(path, headers=ANY_TAG)),
        (304, lambda: caller.call("HEAD", path, headers=ANY_TAG)),
        (200, lambda: caller.get(path, content=b"ignored", headers={"Idempotency-Key": "k"})),
    ]
    if not operation.effect.needs_token:
        calls.append((200, lambda: stage.web.get(path)))
    if operation.query is not None:
        alone = path.partition("?")[0]
        calls.append((200, lambda: caller.get(f"{alone}?{query_of(operation)}")))
        calls.append((400, lambda: caller.get(f"{alone}?%FF", headers=ANY_TAG)))
    return calls


def fresh_id(stage: Stage, agent: Agent) -> int:
    ((found,),) = stage.operator.sql("SELECT id FROM agents WHERE name = $1", agent.name)
    return int(found)

"""`Idempotency-Key` on the creation of threads (interface 7.4): a key permanently identifies one post."""

from typing import Any

import pytest

from services.board.access.tokens import new_token
from services.board.validation.bodies import rules_of
from services.contract.bounds import BODY_BYTES_MAX
from services.contract.effects import ACCOUNT_CREATE, POST_PUBLIC
from services.contract.operations import NAMED, OPERATIONS
from tests.cases import for_each
from tests.contract.examples import body_of
from tests.contract.values import two_values
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

THREADS = "/api/threads"
APPLIED = "post-public;scope=public;reversible=?0;applied"
NOT_APPLIED = APPLIED + "=?0"
KEYED: list[Any] = [operation for operation in OPERATIONS if operation.effect is POST_PUBLIC]
NEW = {"title": "A question", "body": "Who knows?"}


def publish(agent: Agent, key: str | None = None, **fields: Any) -> Answer:
    return agent.post(THREADS, {**NEW, **fields}, headers={} if key is None else {"Idempotency-Key": key})


def test_a_repeat_with_the_same_key_is_answered_with_the_same_bytes(
    alice: Agent, bob: Agent, operator: Operator
) -> None:
    first = publish(alice, "key 1", wanted_capabilities=["sql"])
    bob.vote(first.json, 1)
    bob.reply(first.json)
    operator.hide(first.json)
    before = operator.sql("SELECT last_id, last_seq FROM log_head")
    again = publish(alice, "key 1", wanted_capabilities=["sql"])
    # a replay should repeat the first answer as it was at creation, marked as a replay without an effect
    assert (again.status, again.content) == (201, first.content)
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (first.effect, again.effect) == (APPLIED, NOT_APPLIED)
    assert operator.sql("SELECT last_id, last_seq FROM log_head") == before


@pytest.mark.parametrize(
    ("operation", "field"), [(one, name) for one in KEYED for name in two_values(one.body)],
    ids=lambda value: getattr(value, "name", value),
)  # fmt: skip
def test_the_key_with_other_content_is_refused(alice: Agent, operator: Operator, operation: Any, field: str) -> None:
    path = operation.path.format(id=alice.thread()["id"])
    values = two_values(operation.body)
    if "reply_to" in values:
        values["reply_to"] = tuple(alice.post(path, {"body": "One."}).json["id"] for _ in range(2))
    sent = {name: one for name, (one, _) in values.items()}
    first = alice.post(path, sent, headers={"Idempotency-Key": "k"})
    assert first.status == 201
    before = operator.sql("SELECT last_id FROM log_head")
    required = field in ("title", "body")
    for other in (sent | {field: values[field][1]}, *([] if required else [sent | {field: None}])):
        answer = alice.post(path, other, headers={"Idempotency-Key": "k"})
        named = f"publish.sql does not compare {field} where it judges a used key"
        assert (answer.status, answer.json.get("code")) == (400, "idempotency_key_reused"), named
        assert answer.effect == NOT_APPLIED
    assert operator.sql("SELECT last_id FROM log_head") == before
    assert alice.post(path, sent, headers={"Idempotency-Key": "k"}).content == first.content


# The ways to spell the defaults of the fields that may be left out.
DEFAULTS: dict[str, tuple[Any, ...]] = {
    "community": ("general", "GENERAL"), "wanted_capabilities": ([],), "bio": ("",), "capabilities": ([],),
    "website": ("",), "discovered_via": ("",),
}  # fmt: skip


@pytest.mark.parametrize("operation", [*KEYED, NAMED["register_agent"]], ids=lambda operation: operation.name)
def test_a_default_that_is_spelled_out_is_no_other_content(web: Web, alice: Agent, operation: Any) -> None:
    path, rules = operation.path.format(id=alice.thread()["id"]), rules_of(operation.body)
    least = {name: value for name, value in body_of(operation).items() if rules[name][2]}
    caller, headers = web if operation.effect is ACCOUNT_CREATE else alice, {"Idempotency-Key": new_token()[-20:]}
    optional = [name for name, (_, _, required, _) in rules.items() if not required]
    spellings = [{name: value} for name in optional for value in (None, *DEFAULTS.get(name, ()))]
    answers = [caller.post(path, least | spelled, headers=dict(headers)) for spelled in ({}, *spellings)]
    assert {answer.status for answer in answers} == {201}
    found = [answer.json.get("agent", answer.json) for answer in answers]
    assert found == found[:1] * len(answers)


@for_each(
    "one, other, same",
    [
        ({"wanted_capabilities": ["SQL", "go"]}, {"wanted_capabilities": [" SQL\u3000", "sql", "go", "Sql"]}, True),
        ({"confidence": 1}, {"confidence": 1.0}, True),
        ({"confidence": 0}, {"confidence": -0.0}, True),
        ({"confidence": 0.5}, {"confidence": 0.504}, True),
        ({"wanted_capabilities": ["sql", "go"]}, {"wanted_capabilities": ["go", "sql"]}, False),
        ({"wanted_capabilities": ["sql"]}, {"wanted_capabilities": ["SQL"]}, False),
        ({"confidence": 0}, {}, False),
        ({"body": "b"}, {"body": "b "}, False),
    ],
)
def test_content_is_the_same_if_the_board_keeps_the_same(
    web: Web, one: dict[str, Any], other: dict[str, Any], same: bool
) -> None:
    alice = web.register("alice")
    first, again = publish(alice, "k", **one), publish(alice, "k", **other)
    assert first.status == 201
    assert (again.content == first.content) if same else (again.code == "idempotency_key_reused")


def test_a_key_belongs_to_one_agent(alice: Agent, bob: Agent) -> None:
    assert publish(alice, "k").json["id"] != publish(bob, "k").json["id"]


def test_a_replay_is_free_and_works_over_the_limit(alice: Agent) -> None:
    first = publish(alice, "k")
    for _ in range(9):
        publish(alice, "k")
        alice.thread()
    assert publish(alice).status == 429
    assert publish(alice, "k").content == first.content
    # a new key should still be refused, and a used one reported as used with other content
    assert publish(alice, "k2").status == 429
    assert publish(alice, "k", body="Other.").code == "idempotency_key_reused"


def test_a_call_that_was_refused_does_not_use_up_its_key(alice: Agent, web: Web, operator: Operator) -> None:
    headers = {"Idempotency-Key": "k"}
    assert web.post(THREADS, NEW, headers=headers).status == 401
    for fields in ({"title": ""}, {"colour": "red"}, {"body": new_token()}, {"community": "announcements"}):
        assert publish(alice, "k", **fields).status == 400
    for content, status in ((b"{", 400), (b" " * (BODY_BYTES_MAX + 1), 413)):
        sent = {**headers, "Content-Type": "application/json"}
        assert alice.post(THREADS, content=content, headers=sent).status == status
    assert alice.post("/api/threads/9007199254740991/replies", {"body": "b"}, headers=headers).status == 404
    for _ in range(10):
        alice.thread()
    assert publish(alice, "k").status == 429
    operator.forget_post_times()
    published = publish(alice, "k")
    assert (published.status, published.effect) == (201, APPLIED)


@for_each("key", ["", '""', " ", "é", "a" * 256, '"' + "a" * 256 + '"', "a\x7fb", "\x1f"])
def test_a_key_that_cannot_be_used_is_refused(alice: Agent, operator: Operator, key: str) -> None:
    before = operator.sql("SELECT last_id FROM log_head")
    answer = publish(alice, key)
    assert (answer.status, answer.code) == (400, "invalid_idempotency_key")
    assert "255" in answer.json["detail"]
    assert operator.sql("SELECT last_id FROM log_head") == before

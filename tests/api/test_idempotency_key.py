"""`Idempotency-Key` on the creation of threads (interface 7.4): a key permanently identifies one post."""

from typing import Any

import pytest

from services.board.access.tokens import new_token
from services.contract.effects import POST_PUBLIC
from services.contract.operations import OPERATIONS
from tests.cases import for_each
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
    before = operator.sql("SELECT last_id, last_seq FROM log_head")
    again = publish(alice, "key 1", wanted_capabilities=["sql"])
    # a replay should repeat the first answer as it was at creation, marked as a replay without an effect
    assert (again.status, again.content) == (201, first.content)
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (first.effect, again.effect) == (APPLIED, NOT_APPLIED)
    assert operator.sql("SELECT last_id, last_seq FROM log_head") == before


@pytest.mark.parametrize("key", ["k", '"k"', " k ", '  "k"\t'])
def test_a_quoted_key_and_a_bare_one_are_the_same(alice: Agent, key: str) -> None:
    first = publish(alice, "k")
    assert publish(alice, key).content == first.content


def test_the_content_decides_and_not_its_form(alice: Agent) -> None:
    first = publish(alice, "k", community="help")
    for content in (
        b'{"community":"help","body":"Who knows?","title":"A question"}',
        b' {\n"title": "A question", "body": "Who kn\\u006fws?", "community": "HELP", "confidence": null}\n',
    ):
        headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
        again = alice.call("POST", THREADS, content=content, headers=headers)
        assert (again.status, again.content) == (201, first.content)


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


def test_a_key_belongs_to_one_agent(alice: Agent, bob: Agent) -> None:
    assert publish(alice, "k").json["id"] != publish(bob, "k").json["id"]


def test_a_key_survives_a_rotation(alice: Agent) -> None:
    first = publish(alice, "k")
    alice.token = alice.post("/api/agents/me/token").json["token"]
    assert publish(alice, "k").content == first.content


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


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"title": ""}, "validation_failed"),
        ({"colour": "red"}, "validation_failed"),
        ({"body": new_token()}, "secret_detected"),
        ({"community": "announcements"}, "validation_failed"),
    ],
)
def test_a_call_that_is_not_valid_does_not_use_up_its_key(alice: Agent, fields: dict[str, Any], code: str) -> None:
    refused = publish(alice, "k", **fields)
    assert (refused.status, refused.code) == (400, code)
    published = publish(alice, "k")
    assert (published.status, published.effect) == (201, APPLIED)


def test_a_key_is_not_used_up_without_a_token_over_the_limit_or_with_content_that_cannot_be_read(
    alice: Agent, web: Web, operator: Operator
) -> None:
    headers = {"Idempotency-Key": "k"}
    assert web.post(THREADS, NEW, headers=headers).status == 401
    for content, media_type, status in (
        (b"{", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b" " * 262_145, "application/json", 413),
    ):
        answer = alice.post(THREADS, content=content, headers={**headers, "Content-Type": media_type})
        assert answer.status == status
    missing = "/api/threads/9007199254740991/replies"
    assert alice.post(missing, {"body": "b"}, headers=headers).status == 404
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


@pytest.mark.parametrize("key", ["a" * 255, "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", 'say "hi"', '"', "a b"])
def test_any_other_key_will_do(alice: Agent, key: str) -> None:
    first = publish(alice, key)
    assert first.status == 201
    assert publish(alice, key).content == first.content

"""register_agent: POST /api/agents/register (interface 2, 4.1, 4.2)."""

import random
import secrets
import string
from collections.abc import Callable
from typing import Any

import pytest

from services.board.validation.skeletons import skeletons
from services.contract import bounds
from services.contract.requests.bodies import AgentCreate
from tests.cases import for_each
from tests.contract.values import two_values
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

REGISTER = "/api/agents/register"
KEY = "a-key-of-16-char"


def fresh(start: str = "alice") -> str:
    return f"{start}-{secrets.token_hex(5)}"


def register(web: Web, **more: Any) -> Answer:
    """Register with a free name unless one is given."""
    headers = more.pop("headers", None)
    return web.post(REGISTER, {"name": fresh(), **more}, headers=headers)


def test_the_token_works_at_once_and_is_not_stored(web: Web, operator: Operator) -> None:
    registered = register(web).json
    assert web.get("/api/agents/me", token=registered["token"]).json["name"] == registered["name"]

    # it should not be stored anywhere in the database, only its digest
    row = operator.sql("SELECT agents::text, token_hash FROM agents WHERE name = $1", registered["name"])[0]
    assert registered["token"] not in row[0]
    assert len(row[1]) == 32


@for_each("name, alike", [("paypal", "PayPa1"), ("modern", "rnodern"), ("bot", "вот")])
def test_a_name_that_looks_like_that_of_another_agent_is_taken(web: Web, name: str, alike: str) -> None:
    for first, second in ((name, alike), (alike, name)):
        end = secrets.token_hex(6).translate(str.maketrans("01", "22"))
        assert register(web, name=f"{first}-{end}").status == 201
        answer = register(web, name=f"{second}-{end}")
        assert (answer.status, answer.code) == (400, "name_taken")


def test_the_database_makes_the_same_skeletons_of_names_in_ascii(operator: Operator) -> None:
    characters = [*string.ascii_letters, *string.digits, *bounds.NAME_SIGNS, "rn", "vv", "  ", "--"]
    chosen = random.Random(7)
    names = ["".join(chosen.choices(characters, k=12)) for _ in range(2000)]
    found = operator.sql(
        "SELECT name_skeleton(name) FROM unnest($1::text[]) WITH ORDINALITY AS u (name, n) ORDER BY n", names
    )
    assert [{skeleton} for (skeleton,) in found] == [skeletons(name) for name in names]


@pytest.mark.parametrize("field", sorted(two_values(AgentCreate).keys() - {"name"}))
def test_the_same_key_with_another_profile_rescues_nothing(web: Web, field: str) -> None:
    values = two_values(AgentCreate)
    sent = {name: one for name, (one, _) in values.items()} | {"name": fresh()}
    assert web.post(REGISTER, sent, headers={"Idempotency-Key": KEY}).status == 201
    for other in (values[field][1], None):
        again = web.post(REGISTER, sent | {field: other}, headers={"Idempotency-Key": KEY})
        assert (again.status, again.json.get("code")) == (400, "name_taken"), f"register.sql does not compare {field}"


def read(web: Web, token: str, thread: int) -> Answer:
    return web.get("/api/threads", token=token)


def vote(web: Web, token: str, thread: int) -> Answer:
    return web.post(f"/api/posts/{thread}/vote", {"value": 1}, token=token)


def reply(web: Web, token: str, thread: int) -> Answer:
    return web.post(f"/api/threads/{thread}/replies", {"body": "b"}, token=token)


@pytest.mark.parametrize("use", [read, vote, reply])
def test_a_token_that_was_used_is_not_given_out_again(web: Web, alice: Agent, use: Callable[..., Answer]) -> None:
    thread = alice.thread()["id"]
    body = {"name": fresh()}
    token = web.post(REGISTER, body, headers={"Idempotency-Key": KEY}).json["token"]
    assert use(web, token, thread).status in (200, 201)
    answer = web.post(REGISTER, body, headers={"Idempotency-Key": KEY})
    assert (answer.status, answer.code) == (400, "name_taken")
    assert web.get("/api/agents/me", token=token).status == 200


@pytest.mark.parametrize("key", ["1", KEY[1:]])
def test_a_short_key_makes_a_repeat_safe_and_gives_out_no_token(web: Web, operator: Operator, key: str) -> None:
    body = {"name": fresh(), "bio": "b"}
    token = web.post(REGISTER, body, headers={"Idempotency-Key": key}).json["token"]
    again = web.post(REGISTER, body, headers={"Idempotency-Key": key})
    assert (again.status, again.code) == (400, "name_taken")
    assert operator.count("agents", f"name = '{body['name']}'") == 1
    assert web.get("/api/agents/me", token=token).status == 200

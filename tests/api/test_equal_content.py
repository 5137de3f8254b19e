"""A repeat is the same call if the board would keep the same content, however it is spelled (interface 7.4)."""

import itertools
import secrets
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

ABSENT = object()
NEW = {"title": "A question", "body": "Who knows?"}
THREAD = {"community": [ABSENT, None, "general", "GENERAL"], "wanted_capabilities": [ABSENT, None, []],
          "confidence": [ABSENT, None]}  # fmt: skip
REPLY = {"reply_to": [ABSENT, None], "confidence": [ABSENT, None]}
PROFILE = {"bio": [ABSENT, None, ""], "capabilities": [ABSENT, None, []], "website": [ABSENT, None, ""],
           "discovered_via": [ABSENT, None, ""]}  # fmt: skip


def spellings(fields: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every way to spell the defaults of a body, the shortest first."""
    for values in itertools.product(*fields.values()):
        yield {name: value for name, value in zip(fields, values, strict=True) if value is not ABSENT}


def send(agent: Web, path: str, body: Mapping[str, Any], key: str) -> Answer:
    return agent.post(path, body, headers={"Idempotency-Key": key})


@pytest.mark.parametrize("first", [{}, {"community": "general", "wanted_capabilities": [], "confidence": None}])
def test_a_default_that_is_spelled_out_is_no_other_thread(alice: Agent, first: dict[str, Any]) -> None:
    published = send(alice, "/api/threads", NEW | first, "k")
    again = [send(alice, "/api/threads", NEW | spelled, "k") for spelled in spellings(THREAD)]
    assert {(answer.status, answer.content) for answer in again} == {(201, published.content)}


def test_a_default_that_is_spelled_out_is_no_other_reply(alice: Agent) -> None:
    path = f"/api/threads/{alice.thread()['id']}/replies"
    again = [send(alice, path, {"body": "b"} | spelled, "k") for spelled in spellings(REPLY)]
    assert len({(answer.status, answer.content) for answer in again}) == 1
    assert again[-1].headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize("first", [{}, {"bio": "", "capabilities": [], "website": "", "discovered_via": ""}])
def test_a_default_that_is_spelled_out_is_no_other_registration(web: Web, first: dict[str, Any]) -> None:
    body, key = {"name": f"dora-{secrets.token_hex(4)}"}, str(uuid.uuid4())
    registered = send(web, "/api/agents/register", body | first, key)
    rescued = [send(web, "/api/agents/register", body | spelled, key) for spelled in spellings(PROFILE)]
    assert {answer.status for answer in rescued} == {201}
    assert all(answer.json["agent"] == registered.json["agent"] for answer in rescued)
    assert web.get("/api/agents/me", token=rescued[-1].json["token"]).status == 200


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"wanted_capabilities": ["SQL", "go"]}, {"wanted_capabilities": [" SQL\u3000", "sql", "go", "Sql"]}),
        ({"confidence": 1}, {"confidence": 1.0}),
        ({"confidence": 0}, {"confidence": -0.0}),
        ({"confidence": 0.5}, {"confidence": 0.504}),
    ],
)
def test_what_is_kept_alike_is_the_same(alice: Agent, one: dict[str, Any], other: dict[str, Any]) -> None:
    first, again = (send(alice, "/api/threads", NEW | spelled, "k") for spelled in (one, other))
    assert (again.status, again.content) == (201, first.content)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"wanted_capabilities": ["sql", "go"]}, {"wanted_capabilities": ["go", "sql"]}),
        ({"wanted_capabilities": ["sql"]}, {"wanted_capabilities": ["SQL"]}),
        ({"confidence": 0}, {}),
        ({"body": "b"}, {"body": "b "}),
        ({"community": "help"}, {}),
    ],
)
def test_what_is_kept_otherwise_is_not(alice: Agent, one: dict[str, Any], other: dict[str, Any]) -> None:
    first, again = (send(alice, "/api/threads", NEW | spelled, "k") for spelled in (one, other))
    assert (first.status, again.status, again.code) == (201, 400, "idempotency_key_reused")


def test_a_key_is_known_after_a_vote_and_a_reply_and_while_the_thread_is_hidden(
    alice: Agent, bob: Agent, operator: Operator
) -> None:
    first = send(alice, "/api/threads", NEW, "k")
    answer = send(alice, f"/api/threads/{first.json['id']}/replies", {"body": "b"}, "l")
    bob.vote(first.json, 1)
    operator.hide(first.json)
    assert send(alice, "/api/threads", NEW, "k").content == first.content
    again = send(alice, f"/api/threads/{first.json['id']}/replies", {"body": "b", "reply_to": None}, "l")
    assert again.content == answer.content

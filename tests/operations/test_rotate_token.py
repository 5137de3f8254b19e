"""rotate_token: POST /api/agents/me/token (interface 4.3)."""

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

ROTATE = "/api/agents/me/token"
ME = "/api/agents/me"
KEY = "a-key-of-16-char"


def rotate(web: Web, token: str | None, key: str | None = None) -> Answer:
    return web.post(ROTATE, token=token, headers={} if key is None else {"Idempotency-Key": key})


def works(web: Web, token: str) -> bool:
    return web.get(ME, token=token).status == 200


@pytest.mark.parametrize("key", ["1", KEY[1:]])
def test_a_short_key_rescues_nothing(alice: Agent, web: Web, key: str) -> None:
    replacement = rotate(web, alice.token, key).json["token"]
    assert rotate(web, alice.token, key).code == "revoked_token"
    assert works(web, replacement)


def test_the_key_of_one_rotation_does_not_rescue_the_next(alice: Agent, web: Web) -> None:
    second = rotate(web, alice.token, KEY).json["token"]
    third = rotate(web, second, KEY[::-1]).json["token"]
    assert rotate(web, alice.token, KEY).code == "revoked_token"
    assert works(web, third)


def test_a_suspended_agent_cannot_rotate_even_with_its_key(alice: Agent, web: Web, operator: Operator) -> None:
    replacement = rotate(web, alice.token, KEY).json["token"]
    operator.suspend(alice.name)
    assert rotate(web, replacement).code == "revoked_token"
    assert rotate(web, replacement, KEY[::-1]).code == "revoked_token"
    assert rotate(web, alice.token, KEY).code == "revoked_token"
    # it should accept the token again when the agent is restored
    operator.restore(alice.name)
    assert works(web, replacement)

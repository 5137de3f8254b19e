"""The 401 of a suspended agent states when, for how long and why it is suspended (interface 4.4).

tests/contract/test_authorization.py shows the reason in every operation.
"""

from collections.abc import Callable
from typing import Any

import pytest

from services.board.moderation import suspensions
from tests.operations.hand import WHO, Operator
from tests.processes import ApiProcess
from tests.web import Agent, Web

REASON = 'Floods "every" thread; see <b>rules</b>.'
CONTACT = "mailto:board@board.example"


@pytest.fixture
def suspended(api: ApiProcess, alice: Agent, operator: Operator) -> dict[str, Any]:
    """The suspension of Alice, as PostgreSQL has it."""
    operator.act(lambda db: suspensions.suspend(db, alice.name, REASON, WHO, seconds=3600))
    ((since, until),) = operator.sql("SELECT suspended_at, suspended_until FROM agents WHERE name = $1", alice.name)
    return {"since": since, "until": until, "reason": REASON}


def test_a_call_names_the_suspension(alice: Agent, suspended: dict[str, Any], operator: Operator) -> None:
    answer = alice.post("/api/threads", {"title": "A question", "body": "Who knows?"})
    assert (answer.status, answer.code) == (401, "revoked_token")
    assert answer.json["suspended"] == suspended
    # the board's own words should hold no text of the operator
    own = (answer.json["detail"], answer.json["title"], answer.json["hint"])
    assert own[:2] == ("The account is suspended.", "The token no longer works")
    assert not any("Floods" in text for text in own)
    # a restored agent should write again with the same token
    operator.restore(alice.name)
    assert alice.get("/api/agents/me").status == 200


def test_the_contact_of_the_operators_is_in_the_answer_and_the_rules(start_api: Callable[..., ApiProcess]) -> None:
    api = start_api(OPERATOR_CONTACT=CONTACT)
    with Web(api.url) as web, Operator(api.env["DATABASE_URL"]) as operator:
        alice = web.register("alice")
        operator.suspend(alice.name)
        assert CONTACT in alice.get("/api/agents/me").json["hint"]
        assert f"reach the operators of this board at {CONTACT}." in web.get("/rules.md").content.decode()
        assert CONTACT in web.get("/.well-known/security.txt").content.decode()
        alice.close()

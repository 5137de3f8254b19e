"""The 401 of a suspended agent states when, for how long and why it is suspended (interface 4.4).

tests/contract/test_authorization.py shows the reason in every operation.
"""

from collections.abc import Callable

from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Web

CONTACT = "mailto:board@board.example"


def test_the_contact_of_the_operators_is_in_the_answer_and_the_rules(start_api: Callable[..., ApiProcess]) -> None:
    api = start_api(OPERATOR_CONTACT=CONTACT)
    with Web(api.url) as web, Operator(api.env["DATABASE_URL"]) as operator:
        alice = web.register("alice")
        operator.suspend(alice.name)
        assert CONTACT in alice.get("/api/agents/me").json["hint"]
        assert f"reach the operators of this board at {CONTACT}." in web.get("/rules.md").content.decode()
        assert CONTACT in web.get("/.well-known/security.txt").content.decode()
        alice.close()

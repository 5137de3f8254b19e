"""A socket to the balancer, and checks of every answer that the balancer gives instead of the board."""

import json

from services.contract.effects import NONE
from services.contract.operation import Operation
from services.contract.problems import GATEWAY_STATUSES
from tests import raw
from tests.balancer.balancer import Balancer
from tests.contract.answers import PROBLEM, validator
from tests.web import EFFECT, REQUEST_ID, SECURITY, Answer, check_problem


class Connection(raw.Connection):
    """One connection to the balancer. It waits longer than the balancer waits for a replica."""

    def __init__(self, balancer: Balancer, source: str = "127.0.0.1") -> None:
        super().__init__("127.0.0.1", balancer.port, source, seconds=30)

    def is_closed(self) -> bool:
        """Return whether the balancer closes the connection without sending anything more."""
        try:
            return super().is_closed()
        except ConnectionResetError:
            return True


def check_own(answer: Answer, operation: Operation | None = None, *, refused: bool = True) -> None:
    """Check one of the balancer's own answers, which is always a problem (docs/interface.md, 3.2 and 5.1).

    `refused` means that the call reached no replica: then nothing was applied. Otherwise the outcome is unknown.
    """
    check_transport(answer)
    effect = operation.effect if operation else NONE
    assert answer.effect == effect.header(False if refused else None)
    assert answer.headers["Date"]
    assert (answer.headers["Access-Control-Allow-Origin"] == "*") == (effect is NONE)


def check_transport(answer: Answer) -> None:
    """Check an answer, even one to a malformed request."""
    assert EFFECT.fullmatch(answer.effect), answer.effect
    assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"])
    assert {name: answer.headers[name] for name in SECURITY} == SECURITY
    assert answer.headers["Content-Type"] in PROBLEM
    check_problem(answer, GATEWAY_STATUSES)
    schema = json.dumps(PROBLEM["application/problem+json"]["schema"])
    assert list(validator(schema).iter_errors(answer.json)) == []

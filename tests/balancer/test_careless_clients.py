"""Clients that send or read too little reach the replicas in part at most, and hold up no other client."""

import pytest

from tests.balancer.balancer import Balancer
from tests.hostile_clients import HEAD_SECONDS, ask_meanwhile, faults, hostile_clients_of
from tests.processes import ApiProcess

# of the balancer in this folder
REQUEST_SECONDS = 2


@pytest.mark.parametrize(
    ("held", "seconds"),
    [
        pytest.param(3 * REQUEST_SECONDS, 8.0, id="short"),
        pytest.param(3 * HEAD_SECONDS, 60.0, id="minute", marks=pytest.mark.slow),
    ],
)
def test_hostile_clients_do_not_matter_to_others(
    balancer: Balancer, replicas: list[ApiProcess], held: float, seconds: float
) -> None:
    with hostile_clients_of("127.0.0.1", balancer.port, held):
        assert ask_meanwhile("127.0.0.1", balancer.port, seconds)
    for replica in replicas:
        assert replica.running.poll() is None
        assert faults(replica) == []

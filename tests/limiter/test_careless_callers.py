"""Clients that send or read too little at a private port hold up no other caller, and end no process."""

from tests.hostile_clients import ask_meanwhile, faults, hostile_clients_of
from tests.limiter.processes import PatientLimiter

SECONDS = 5.0


def test_hostile_clients_of_the_limiter_do_not_matter_to_others(limiter: PatientLimiter) -> None:
    with hostile_clients_of("127.0.0.1", limiter.port, SECONDS):
        for number in range(50):
            (verdict,) = limiter.check({"policy": "votes", "key": "a", "id": f"{number}", "quota": 99, "window": 60})
            assert verdict["allowed"]
    assert limiter.running.poll() is None
    assert faults(limiter) == []


def test_hostile_clients_of_an_operator_port_do_not_matter_to_others(limiter: PatientLimiter) -> None:
    with hostile_clients_of("127.0.0.1", limiter.operator_port, SECONDS):
        assert ask_meanwhile("127.0.0.1", limiter.operator_port, SECONDS, "/livez")
    assert limiter.running.poll() is None

"""A call whose answer was lost is sent again if that is harmless, and never otherwise."""

from collections.abc import Callable, Iterator

import pytest

from services.contract.operation import Operation
from services.contract.operations import NAMED, OPERATIONS
from tests.balancer.balancer import Balancer, program
from tests.balancer.client import Connection, check_own
from tests.balancer.recorder import ANSWER, Recorder
from tests.raw import request

ADDRESSES = ("127.0.0.5", "127.0.0.6")
CALLS = 10
KEY = "Idempotency-Key: 0d7c7bfb"


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Balancer, Recorder, Recorder]]:
    """A balancer and its two replicas, which the tests of this file share."""
    program()
    with Balancer(tmp_path_factory.mktemp("balancer"), {"timeout server": "1s"}) as balancer:
        first, second = (Recorder(address, balancer.api_port, balancer.api_operator_port) for address in ADDRESSES)
        with first, second:
            balancer.name(*ADDRESSES)
            yield balancer, first, second


@pytest.fixture
def pair(trio: tuple[Balancer, Recorder, Recorder]) -> tuple[Balancer, Recorder, Recorder]:
    """Two replicas, of which the first drops every connection as soon as it has received a request."""
    _, dying, sound = trio
    dying.answer, sound.answer = b"", ANSWER
    dying.requests.clear()
    sound.requests.clear()
    return trio


def call(operation: Operation, number: int, *fields: str) -> bytes:
    path = operation.path.format(id=1, event_id=1, name="x", slug="x", bundle="000", tile="0/000")
    body = None if operation.method in ("GET", "HEAD", "OPTIONS") else b"%d" % number
    return request(operation.method, f"{path}?number={number}", body, *fields)


def statuses(balancer: Balancer, requests: list[bytes]) -> list[int]:
    """Return the answers to calls, each over its own connection."""
    found = []
    for sent in requests:
        with Connection(balancer) as connection:
            found.append(connection.ask(sent).status)
    return found


def numbers(*recorders: Recorder) -> list[bytes]:
    """Return the calls that arrived, sorted, including repeats."""
    lines = [one.split(b" ")[1] for recorder in recorders for one in recorder.requests]
    return sorted(line.partition(b"number=")[2] for line in lines)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
@pytest.mark.parametrize("fields", [(), (KEY,)], ids=["without a key", "with a key"])
def test_only_harmless_calls_are_sent_again(
    pair: tuple[Balancer, Recorder, Recorder], operation: Operation, fields: tuple[str, ...]
) -> None:
    balancer, dying, sound = pair
    found = statuses(balancer, [call(operation, number, *fields) for number in range(CALLS)])
    assert dying.requests
    if operation.method == "GET" or (operation.idempotency_key and fields):
        # it should be sent again, once, to the other replica
        assert found == [200] * CALLS
        assert len(numbers(sound)) == len(set(numbers(sound))) == CALLS
    else:
        # it should be sent once, and answered with an unknown outcome
        assert set(found) == {200, 502}
        assert len(numbers(dying, sound)) == len(set(numbers(dying, sound))) == CALLS


def test_a_slow_answer_is_not_a_lost_one(pair: tuple[Balancer, Recorder, Recorder]) -> None:
    balancer, dying, sound = pair
    dying.answer = sound.answer = None
    with Connection(balancer) as connection:
        answer = connection.ask(call(NAMED["create_thread"], 0, KEY))
    assert answer.status == 504
    check_own(answer, NAMED["create_thread"], refused=False)
    assert numbers(dying, sound) == [b"0"]


def test_a_replica_that_cannot_be_reached_fails_no_call(start_balancer: Callable[..., Balancer]) -> None:
    balancer = start_balancer()
    closed, sound = (Recorder(address, balancer.api_port, balancer.api_operator_port) for address in ADDRESSES)
    with closed, sound:
        balancer.name(*ADDRESSES)
        # its probe reports that it is ready, but nothing listens on its public port
        closed.servers[0].shutdown()
        closed.servers[0].server_close()
        found = statuses(balancer, [call(NAMED["create_thread"], number) for number in range(CALLS)])
    assert found == [200] * CALLS
    assert len(numbers(sound)) == len(set(numbers(sound))) == CALLS
    assert any(line["retries"] not in ("0", "+0") for line in balancer.log_lines())


def test_a_connection_that_was_closed_while_it_was_idle_is_no_lost_answer(
    pair: tuple[Balancer, Recorder, Recorder],
) -> None:
    balancer, dying, _ = pair
    dying.answer = ANSWER.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with Connection(balancer) as connection:
        for number in range(CALLS):
            assert connection.ask(call(NAMED["create_thread"], number)).status == 200

"""The balancer's own errors are problems like those of the board."""

from collections.abc import Iterator

import pytest

from services.contract.bounds import BODY_BYTES_MAX
from services.contract.operations import NAMED
from tests.balancer.balancer import Balancer, program, version
from tests.balancer.client import Connection, check_own, check_transport
from tests.balancer.recorder import ANSWER, Recorder
from tests.raw import as_json, request

ADDRESS = "127.0.0.5"
WRITE = NAMED["create_thread"]


@pytest.fixture(scope="module")
def lonely(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Balancer]:
    """A balancer without a replica."""
    program()
    with Balancer(tmp_path_factory.mktemp("lonely")) as balancer:
        yield balancer


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Balancer, Recorder]]:
    """A balancer with short timeouts, and its only replica."""
    program()
    short = {"timeout client": "1s", "timeout http-request": "1s", "wait-for-body time": "1s", "timeout server": "2s"}
    with (
        Balancer(tmp_path_factory.mktemp("served"), short) as balancer,
        Recorder(ADDRESS, balancer.api_port, balancer.api_operator_port) as server,
    ):
        balancer.name(ADDRESS)
        yield balancer, server


@pytest.fixture
def balancer(served: tuple[Balancer, Recorder]) -> Balancer:
    return served[0]


@pytest.fixture
def recorder(served: tuple[Balancer, Recorder]) -> Recorder:
    """The only replica of the balancer; it answers every call and has received no request yet."""
    served[1].answer = ANSWER
    served[1].requests.clear()
    return served[1]


def test_without_a_replica_the_board_is_not_available(lonely: Balancer) -> None:
    with Connection(lonely) as connection:
        read = connection.ask(request("GET", "/api/threads"))
        written = connection.ask(request("POST", "/api/threads", as_json({"title": "t", "body": "b"})))
    assert (read.status, read.code, read.headers["Retry-After"]) == (503, "unavailable", "5")
    check_own(read)
    assert written.status == 503
    check_own(written, WRITE, refused=False)


def test_a_lost_answer_leaves_the_outcome_open(balancer: Balancer, recorder: Recorder) -> None:
    recorder.answer = b""
    with Connection(balancer) as connection:
        answer = connection.ask(request("POST", "/api/threads", as_json({"title": "t", "body": "b"})))
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (502, "unavailable", "5")
    check_own(answer, WRITE, refused=False)


def test_an_answer_that_takes_too_long_leaves_the_outcome_open(balancer: Balancer, recorder: Recorder) -> None:
    recorder.answer = None
    with Connection(balancer) as connection:
        answer = connection.ask(request("POST", "/api/threads", as_json({"title": "t", "body": "b"})))
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (504, "unavailable", "5")
    check_own(answer, WRITE, refused=False)
    assert len(recorder.requests) == 1


def test_an_answer_that_the_balancer_cannot_parse_is_a_lost_answer(balancer: Balancer, recorder: Recorder) -> None:
    recorder.answer = b"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nOK"
    with Connection(balancer) as connection:
        answer = connection.ask(request("GET", "/api/threads"))
    assert answer.status == 502
    check_own(answer)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_bound_reaches_no_replica(balancer: Balancer, recorder: Recorder, chunked: bool) -> None:
    size = BODY_BYTES_MAX + 1
    whole = request("POST", "/api/threads", b"x" * size)
    if chunked:
        head = request("POST", "/api/threads", None, "Transfer-Encoding: chunked", "Content-Type: application/json")
        whole = head + b"%x\r\n" % size + b"x" * size + b"\r\n0\r\n\r\n"
    with Connection(balancer) as connection:
        answer = connection.ask(whole)
    assert (answer.status, answer.code) == (413, "body_too_large")
    check_own(answer, WRITE)
    assert recorder.requests == []


def test_a_body_of_exactly_the_bound_reaches_a_replica(balancer: Balancer, recorder: Recorder) -> None:
    with Connection(balancer) as connection:
        assert connection.ask(request("POST", "/api/threads", b"x" * BODY_BYTES_MAX)).content == b"OK"
    assert recorder.requests[0].endswith(b"\r\n\r\n" + b"x" * BODY_BYTES_MAX)


def test_a_malformed_request_is_refused(lonely: Balancer) -> None:
    with Connection(lonely) as connection:
        answer = connection.ask(b"GET /api/threads HTTP/1.1\r\nHost : x\r\n\r\n")
        assert answer.status == 400
        assert connection.is_closed()
    if version() >= (3, 2):
        assert (answer.code, answer.codes) == ("validation_failed", [("head", "bad_format")])
        check_transport(answer)

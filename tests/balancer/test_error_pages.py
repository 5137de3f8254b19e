"""Whatever the balancer answers itself is a problem like the board's own."""

from collections.abc import Callable, Iterator

import pytest

from services.board.contract.operations import NAMED
from services.board.contract.schemas import BODY_BYTES_MAX
from tests.balancer.balancer import Balancer, version
from tests.balancer.client import Connection, as_json, check_own, check_transport, request
from tests.balancer.recorder import Recorder

ADDRESS = "127.0.0.5"
WRITE = NAMED["create_thread"]


@pytest.fixture
def lonely(start_balancer: Callable[..., Balancer]) -> Balancer:
    """A balancer without a replica, and with little patience."""
    return start_balancer(REQUEST_TIMEOUT="1s", ANSWER_TIMEOUT="2s")


@pytest.fixture
def recorder(lonely: Balancer) -> Iterator[Recorder]:
    """The only replica of the balancer."""
    with Recorder(ADDRESS, lonely.api_port, lonely.api_operator_port) as server:
        lonely.name(ADDRESS)
        yield server


def test_without_a_replica_the_board_is_not_available(lonely: Balancer) -> None:
    with Connection(lonely) as connection:
        read = connection.ask(request("GET", "/api/threads"))
        written = connection.ask(request("POST", "/api/threads", as_json({"title": "t", "body": "b"})))
    assert (read.status, read.code, read.headers["Retry-After"]) == (503, "unavailable", "5")
    check_own(read)
    assert written.status == 503
    check_own(written, WRITE, refused=False)


def test_a_lost_answer_leaves_the_outcome_open(lonely: Balancer, recorder: Recorder) -> None:
    recorder.answer = b""
    with Connection(lonely) as connection:
        answer = connection.ask(request("POST", "/api/threads", as_json({"title": "t", "body": "b"})))
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (502, "unavailable", "5")
    check_own(answer, WRITE, refused=False)


def test_so_does_one_that_takes_too_long(lonely: Balancer, recorder: Recorder) -> None:
    recorder.answer = None
    with Connection(lonely) as connection:
        answer = connection.ask(request("POST", "/api/threads", as_json({"title": "t", "body": "b"})))
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (504, "unavailable", "5")
    check_own(answer, WRITE, refused=False)
    assert len(recorder.requests) == 1


def test_an_answer_that_the_balancer_cannot_take_is_an_answer_lost(lonely: Balancer, recorder: Recorder) -> None:
    recorder.answer = b"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nOK"
    with Connection(lonely) as connection:
        answer = connection.ask(request("GET", "/api/threads"))
    assert answer.status == 502
    check_own(answer)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_bound_reaches_nobody(lonely: Balancer, recorder: Recorder, chunked: bool) -> None:
    size = BODY_BYTES_MAX + 1
    whole = request("POST", "/api/threads", b"x" * size)
    if chunked:
        head = request("POST", "/api/threads", None, "Transfer-Encoding: chunked", "Content-Type: application/json")
        whole = head + b"%x\r\n" % size + b"x" * size + b"\r\n0\r\n\r\n"
    with Connection(lonely) as connection:
        answer = connection.ask(whole)
    assert (answer.status, answer.code) == (413, "body_too_large")
    check_own(answer, WRITE)
    assert recorder.requests == []


def test_a_body_of_the_bound_does(lonely: Balancer, recorder: Recorder) -> None:
    with Connection(lonely) as connection:
        assert connection.ask(request("POST", "/api/threads", b"x" * BODY_BYTES_MAX)).content == b"OK"
    assert recorder.requests[0].endswith(b"\r\n\r\n" + b"x" * BODY_BYTES_MAX)


def test_what_is_no_request_is_refused(lonely: Balancer) -> None:
    with Connection(lonely) as connection:
        answer = connection.ask(b"GET /api/threads HTTP/1.1\r\nHost : x\r\n\r\n")
        assert answer.status == 400
        assert connection.is_closed()
    if version() >= (3, 2):
        assert (answer.code, answer.codes) == ("validation_failed", [("head", "bad_format")])
        check_transport(answer)

"""The balancer and the API never see two different requests in the same bytes."""

import re
from collections.abc import Iterator

import pytest

from tests.balancer.balancer import Balancer, version
from tests.balancer.client import Connection
from tests.balancer.recorder import Recorder
from tests.raw import request

ADDRESS = "127.0.0.5"
POST = b"POST /api/threads HTTP/1.1\r\nHost: x\r\n"
GET = b"GET /api/threads HTTP/1.1\r\nHost: x\r\n"
CHUNKS = b"\r\n3\r\nabc\r\n0\r\n\r\n"
REFUSED = {
    "space before the colon": POST + b"Content-Length : 3\r\n\r\nabc",
    "two lengths": POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "two lengths in one": POST + b"Content-Length: 3, 4\r\n\r\nabcd",
    "signed length": POST + b"Content-Length: +3\r\n\r\nabc",
    "negative length": POST + b"Content-Length: -1\r\n\r\nabc",
    "hexadecimal length": POST + b"Content-Length: 0x3\r\n\r\nabc",
    "no length": POST + b"Content-Length: \r\n\r\nabc",
    "unknown coding": POST + b"Transfer-Encoding: xchunked\r\n" + CHUNKS,
    "hidden coding": POST + b"Transfer-Encoding: \x0bchunked\r\n" + CHUNKS,
    "chunked twice": POST + b"Transfer-Encoding: chunked, chunked\r\n" + CHUNKS,
    "two codings": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n" + CHUNKS,
    "chunked and identity": POST + b"Transfer-Encoding: chunked, identity\r\n" + CHUNKS,
    "gzip and chunked": POST + b"Transfer-Encoding: gzip, chunked\r\n" + CHUNKS,
    "chunked in 1.0": POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n" + CHUNKS,
    "bad chunk": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    "another host": GET.replace(b"/api", b"http://y/api") + b"\r\n",
    "two hosts": GET + b"Host: y\r\n\r\n",
    "no host": b"GET /api/threads HTTP/1.1\r\n\r\n",
    "carriage return": GET + b"X: a\rb\r\n\r\n",
    "name with a space": GET + b"X Y: a\r\n\r\n",
    "no name": GET + b": a\r\n\r\n",
    "no colon": GET + b"nothing\r\n\r\n",
    "fragment": GET.replace(b"threads", b"threads#x") + b"\r\n",
    "space in the path": GET.replace(b"threads", b"thr eads") + b"\r\n",
    "bytes in the path": GET.replace(b"threads", b"thr\xc3\xa9ads") + b"\r\n",
    "HTTP/0.9": b"GET /api/threads\r\n\r\n",
    "HTTP/1.2": GET.replace(b"1.1", b"1.2") + b"\r\n",
    "HEAD in other letters": GET.replace(b"GET", b"Head") + b"\r\n",
    "HTTP/2 without TLS": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
}
REFUSED_SINCE_3_0 = {
    "null byte": GET + b"X: a\0b\r\n\r\n",
    "chunk without carriage return": POST + b"Transfer-Encoding: chunked\r\n\r\n3\nabc\n0\n\n",
}


@pytest.fixture(scope="module")
def recorder(balancer: Balancer) -> Iterator[Recorder]:
    """The only replica of the balancer."""
    with Recorder(ADDRESS, balancer.api_port, balancer.api_operator_port) as server:
        balancer.name(ADDRESS)
        yield server


@pytest.fixture(autouse=True)
def nothing_recorded(recorder: Recorder) -> None:
    recorder.requests.clear()


def exchange(balancer: Balancer, sent: bytes) -> list[int]:
    """Return the statuses of all answers to these bytes, until the balancer closes the connection."""
    statuses = []
    with Connection(balancer) as connection:
        connection.send(sent)
        while not connection.is_closed():
            statuses.append(connection.answer().status)
    return statuses


@pytest.mark.parametrize("case", REFUSED | REFUSED_SINCE_3_0)
def test_what_can_be_read_in_two_ways_reaches_no_replica(balancer: Balancer, recorder: Recorder, case: str) -> None:
    if case in REFUSED_SINCE_3_0 and version() < (3, 0):
        pytest.skip("HAProxy takes this before 3.0.")
    statuses = exchange(balancer, (REFUSED | REFUSED_SINCE_3_0)[case])
    # it should be refused; version 3.2 closes the connection without an answer if there are two lengths
    assert statuses == [400] or (statuses == [422] and version() < (3, 2)) or (statuses == [] and case == "two lengths")
    assert recorder.requests == []


@pytest.mark.parametrize(
    "first",
    [b"Content-Length: 6\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: 6"],
    ids=["length first", "chunks first"],
)
def test_a_length_beside_chunks_is_not_passed_on(balancer: Balancer, recorder: Recorder, first: bytes) -> None:
    # according to its length, the body ends within the chunks, and the rest is another request
    smuggled = b"GET /metrics HTTP/1.1\r\nX: "
    chunks = b"%X\r\n%b\r\n0\r\n\r\n" % (len(smuggled), smuggled)
    with Connection(balancer) as connection:
        answer = connection.ask(POST + first + b"\r\n\r\n" + chunks)
    assert answer.status == 200
    (passed_on,) = recorder.requests
    assert b"content-length" not in passed_on.lower()
    assert passed_on.endswith(b"\r\n\r\n" + chunks)


def test_what_follows_a_request_is_another(balancer: Balancer, recorder: Recorder) -> None:
    hidden = b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    # according to its chunks, the body has ended; according to its length, it includes the hidden request
    sent = POST + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" % (5 + len(hidden)) + hidden
    statuses = exchange(balancer, sent)
    assert statuses in ([200], [200, 404])
    assert not any(b"/metrics" in one for one in recorder.requests)


def test_a_request_goes_on_in_one_form(balancer: Balancer, recorder: Recorder) -> None:
    with Connection(balancer) as connection:
        assert (
            connection.ask(b"GET http://x/api/threads?a=%20b HTTP/1.1\r\nHOST:\t x \r\nX: a\r\n b \t\r\n\r\n").status
            == 200
        )
        assert connection.ask(GET + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n").status == 200
    first, second = recorder.requests
    assert re.match(rb"GET /api/threads\?a=%20b HTTP/1\.1\r\nhost: x\r\nx: a +b\r\n", first)
    assert b"upgrade" not in second.lower()


def test_a_connection_serves_many_requests(balancer: Balancer, recorder: Recorder) -> None:
    with Connection(balancer) as connection:
        for number in range(5):
            assert connection.ask(request("POST", "/api/threads", b"%d" % number)).status == 200
            # it should survive the refused requests
            assert connection.ask(request("GET", "/nowhere")).status == 404
            assert connection.ask(request("POST", "/api/threads", b"", "Content-Type: text/plain")).status == 200
        connection.send(request("GET", "/api/threads") * 3)
        assert [connection.answer().status for _ in range(3)] == [200] * 3
    assert len(recorder.requests) == 13

"""The balancer answers calls to unknown routes itself, as an API process would."""

import http.client

import pytest

from services.board.access.tokens import new_token
from services.contract.bounds import HEAD_BYTES_MAX
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.balancer.balancer import Balancer
from tests.balancer.client import Connection, check_own
from tests.processes import ApiProcess
from tests.raw import request
from tests.web import Answer, Web

HIDDEN = (
    "/metrics", "/readyz", "/livez", "/api", "/api/", "/api/threads/", "//api/threads", "/api//threads",
    "/api%2fthreads", "/%61pi%2Fthreads", "/api/%74hreads", "/api/%2e%2e/metrics", "/%6d%65trics", "/api/%2574hreads",
    "/api/..;/metrics", "/..;/metrics", "/api/../metrics",
    "/./api/threads", "/api/threads;x=1", "/API/threads", "/api/threads/1/replies/2", "/skill.md/", "/skillxmd",
    "/livez", "/limits", "/check", "/api/threads\\..\\metrics", "/metrics?x=/api/threads",
)  # fmt: skip


def reached(balancer: Balancer, answer: Answer) -> bool:
    """Return whether the call that got this answer was sent to a replica."""
    return str(balancer.logged(answer.headers["X-Request-Id"])["replica"]).startswith("api")


@pytest.mark.parametrize("target", HIDDEN)
def test_what_is_no_public_route_is_not_found_and_reaches_no_replica(
    balancer: Balancer, replicas: list[ApiProcess], target: str
) -> None:
    with Connection(balancer) as connection:
        answer = connection.ask(request("GET", target))
    assert (answer.status, answer.code) == (404, "not_found")
    check_own(answer)
    assert not reached(balancer, answer)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_public_route_reaches_a_replica(
    balancer: Balancer, replicas: list[ApiProcess], operation: Operation
) -> None:
    path = operation.path.format(name="Nobody%20Here", slug="nowhere", id=1, event_id=1, bundle="999", tile="6/000")
    for method in (operation.method, "OPTIONS", *(["HEAD"] if operation.method == "GET" else [])):
        connection = http.client.HTTPConnection("127.0.0.1", balancer.port, timeout=30)
        connection.request(method, path)
        response = connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        connection.close()
        assert reached(balancer, answer)


REGISTER = b"POST /api/agents/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
REFUSED_BY_THE_API = {
    "a trailer": (REGISTER + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n", ("body", "bad_format")),
    "a long head": (request("GET", f"/api/threads?x={'a' * HEAD_BYTES_MAX}"), ("head", "too_long")),
    "a very long head": (request("GET", "/api/threads", None, f"X: {'a' * 200_000}"), ("head", "too_long")),
    "chunked in other letters": (
        REGISTER + b"Transfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        ("name", "required"),
    ),
}


@pytest.mark.parametrize("case", REFUSED_BY_THE_API)
def test_what_only_the_api_refuses_is_refused_in_full(
    balancer: Balancer, replicas: list[ApiProcess], case: str
) -> None:
    sent, code = REFUSED_BY_THE_API[case]
    with Connection(balancer) as connection:
        answer = connection.ask(sent)
        assert (answer.status, answer.codes) == (400, [code])
        assert connection.ask(request("GET", "/api/health")).status == 200
    assert reached(balancer, answer)


def test_a_method_that_a_path_has_not_is_refused_by_the_api(web: Web) -> None:
    for method in ("PUT", "TRACE", "EVIL-evil"):
        assert web.call(method, "/api/threads").status == 405


def test_a_token_in_the_url_is_named_as_the_api_names_it(balancer: Balancer, replicas: list[ApiProcess]) -> None:
    token = new_token()
    for target in (f"/nowhere/{token}", f"/nowhere?x={token}", "/nowhere?x=" + token.replace("_", "%5F")):
        with Connection(balancer) as connection:
            answer = connection.ask(request("GET", target))
        assert (answer.status, answer.code) == (400, "credential_in_url")
        check_own(answer)
        with Connection(balancer) as connection:
            assert connection.ask(request("GET", target.replace("/nowhere", "/api/threads"))).code == answer.code
    assert "agb" not in balancer.out.read_text() + balancer.err.read_text()

"""Calls are counted by the address of their connection, whatever their headers claim."""

import re
import time
from collections.abc import Callable, Iterator

import pytest

from deploy.compose.haproxy_files import FOLDER
from services.contract.limits import RETRY_AFTER_JITTER, RETRY_AFTER_MIN
from services.contract.operations import NAMED
from tests.balancer.balancer import SECONDS, Balancer, program
from tests.balancer.client import Connection, check_own
from tests.balancer.recorder import Recorder
from tests.raw import request
from tests.web import Answer, structured_list

CONFIGURATION = (FOLDER / "haproxy.cfg").read_text()
ADDRESS = "127.0.0.5"
FLOOD = 2_000
READ, HEALTH = "/api/threads", "/api/health"
SEARCHING = (
    "/api/search?q=x", "/api/agents?q=a", "/api/agents?limit=9&capability=sql", "/api/agents?%71=a",
    "/api/agents?capabilit%79=a", "/api/agents?%71=a&x=%", "/agents?q=a&%zz",
)  # fmt: skip
# 5 and 2 per second, and bursts of four times as many
REQUESTS, SEARCHES = 20, 8
FORGED = (
    "X-Forwarded-For: 192.0.2.{n}", "X-Forwarded-For: 192.0.2.{n}, 127.0.0.1", "Forwarded: for=192.0.2.{n}",
    "X-Real-IP: 192.0.2.{n}", "X_Forwarded_For: 192.0.2.{n}", "x-FORWARDED-foR: 192.0.2.{n}",
    "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example", "X-Forwarded-Port: {n}", "Via: 1.1 {n}",
    "X-Request-Id: {n}", "Connection: X-Forwarded-For",
)  # fmt: skip


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Balancer]:
    """A balancer with limits, in front of a server that answers every call. Each test calls from its own address."""
    program()
    limits = {"REQUESTS_PER_SECOND": "5", "SEARCHES_PER_SECOND": "2"}
    with (
        Balancer(tmp_path_factory.mktemp("limited"), **limits) as balancer,
        Recorder(ADDRESS, balancer.api_port, balancer.api_operator_port),
    ):
        balancer.name(ADDRESS)
        yield balancer


def flood(balancer: Balancer, target: str, source: str, *fields: str) -> tuple[int, Answer]:
    """Call until a call is refused; return the number of calls before it, and the refusal."""
    with Connection(balancer, source) as connection:
        for count in range(FLOOD):
            answer = connection.ask(request("GET", target, None, *[field.format(n=count) for field in fields]))
            if answer.status == 429:
                return count, answer
            assert answer.status in (200, 404)
    raise AssertionError(f"{FLOOD} calls were let through")


def check_limited(answer: Answer, policy: str, quota: int) -> None:
    """Check the content of a refusal (docs/interface.md, 6.2 and 6.3)."""
    retry_after = int(answer.headers["Retry-After"])
    assert RETRY_AFTER_MIN <= retry_after <= RETRY_AFTER_MIN + RETRY_AFTER_JITTER
    assert (answer.code, answer.json["violated-policies"]) == ("rate_limited", [policy])
    assert structured_list(answer.headers["RateLimit-Policy"]) == [(policy, {"q": quota, "w": 4})]
    assert structured_list(answer.headers["RateLimit"]) == [(policy, {"r": 0, "t": 4})]
    assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == (str(quota), "0")
    assert int(answer.headers["X-RateLimit-Reset"]) > 0


def test_an_address_that_calls_too_often_is_asked_to_wait(limited: Balancer) -> None:
    let_through, answer = flood(limited, READ, "127.0.0.7")
    assert let_through >= REQUESTS
    check_own(answer)
    check_limited(answer, "requests", REQUESTS)
    # it should affect neither other addresses nor calls to /api/health
    with Connection(limited, "127.0.0.8") as other:
        assert other.ask(request("GET", READ)).status == 200
    with Connection(limited, "127.0.0.7") as same:
        assert [same.ask(request("GET", HEALTH)).status for _ in range(3 * REQUESTS)] == [200] * (3 * REQUESTS)
        writing = same.ask(request("POST", READ, b"{}"))
    assert writing.status == 429
    check_own(writing, NAMED["create_thread"])


@pytest.mark.parametrize("search", SEARCHING)
def test_searches_have_a_limit_of_their_own(limited: Balancer, search: str) -> None:
    address = f"127.0.0.{20 + SEARCHING.index(search)}"
    let_through, answer = flood(limited, search, address)
    assert SEARCHES <= let_through < REQUESTS
    check_limited(answer, "searches", SEARCHES)
    with Connection(limited, address) as connection:
        assert connection.ask(request("GET", READ)).status == 200
        assert connection.ask(request("GET", "/api/agents?sort=new&limit=100")).status == 200


def test_a_flood_of_health_checks_is_refused_by_a_limit_of_its_own(limited: Balancer) -> None:
    let_through, answer = flood(limited, HEALTH, "127.0.0.9")
    assert let_through >= 10 * REQUESTS
    check_limited(answer, "requests", 10 * REQUESTS)
    with Connection(limited, "127.0.0.9") as same:
        assert same.ask(request("GET", READ)).status == 200


def test_calls_to_unknown_paths_count_too(limited: Balancer) -> None:
    assert flood(limited, "/nowhere", "127.0.0.10")[0] >= REQUESTS


def test_refused_calls_do_not_count(limited: Balancer) -> None:
    flood(limited, READ, "127.0.0.11")
    with Connection(limited, "127.0.0.11") as connection:
        status, deadline = 429, time.monotonic() + SECONDS
        # it should let calls through again although the flood continues
        while status != 200:
            assert time.monotonic() < deadline
            status = connection.ask(request("GET", READ)).status
            time.sleep(0.02)


def test_forged_headers_change_nothing(limited: Balancer) -> None:
    flood(limited, READ, "127.0.0.100", *FORGED)


def test_a_client_cannot_forward_for_another(start_balancer: Callable[..., Balancer]) -> None:
    balancer = start_balancer()
    with Recorder(ADDRESS, balancer.api_port, balancer.api_operator_port) as recorder:
        balancer.name(ADDRESS)
        with Connection(balancer, "127.0.0.13") as connection:
            fields = [field.format(n=666) for field in FORGED]
            assert connection.ask(request("GET", READ, None, *fields)).status == 200
    head = recorder.requests[0].decode()
    assert "666" not in head
    assert sorted(head.split("\r\n")[1:-2]) == [
        "host: x", "x-forwarded-for: 127.0.0.13", "x-forwarded-host: x", "x-forwarded-proto: http",
    ]  # fmt: skip


def test_an_address_has_only_so_many_connections(start_balancer: Callable[..., Balancer]) -> None:
    balancer = start_balancer(CONNECTIONS_PER_ADDRESS="3")
    held = [Connection(balancer, "127.0.0.14") for _ in range(3)]
    try:
        assert [connection.ask(request("GET", "/nowhere")).status for connection in held] == [404] * 3
        with pytest.raises(ConnectionError), Connection(balancer, "127.0.0.14") as one_more:
            one_more.ask(request("GET", "/nowhere"))
        with Connection(balancer, "127.0.0.15") as another:
            assert another.ask(request("GET", "/nowhere")).status == 404
    finally:
        for connection in held:
            connection.socket.close()


def test_an_ipv6_network_is_one_address() -> None:
    assert set(re.findall(r"track-sc\d src(\S*)", CONFIGURATION)) == {",ipmask(32,64)"}
    # it should never see IPv4 addresses in IPv6 form, because these are all in one network
    assert CONFIGURATION.count('"${LISTEN_IPV6}"') == CONFIGURATION.count('"${LISTEN_IPV6}" v6only')

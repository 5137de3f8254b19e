"""People get the balancer's own errors as pages, with the problem for programs in a comment."""

from collections.abc import Iterator

import pytest

from tests.balancer.balancer import Balancer, program
from tests.balancer.client import Connection
from tests.balancer.recorder import ANSWER, Recorder
from tests.pages.markup import parse, text_of
from tests.raw import request
from tests.web import PAGE_POLICY, Answer, check_problem

ADDRESS = "127.0.0.6"
HTML = "text/html; charset=utf-8"
FIREFOX = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
CHROMIUM = f"{FIREFOX.replace('*/*', 'image/avif,image/webp,*/*')},application/signed-exchange;v=b3;q=0.7"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Balancer, Recorder]]:
    """A balancer that lets an address make 16 requests in four seconds, and its only replica."""
    program()
    with (
        Balancer(tmp_path_factory.mktemp("served"), {"timeout server": "2s"}, REQUESTS_PER_SECOND="4") as balancer,
        Recorder(ADDRESS, balancer.api_port, balancer.api_operator_port) as server,
    ):
        balancer.name(ADDRESS)
        yield balancer, server


def check_page(answer: Answer, status: int) -> None:
    """A page must be valid, say what the problem says, and load nothing but the board's files."""
    assert (answer.status, answer.headers["Content-Type"]) == (status, HTML)
    assert answer.headers["Content-Security-Policy"] == PAGE_POLICY
    check_problem(answer, (502, 504))
    words = text_of(parse(answer.content))
    for member in ("title", "detail", "hint"):
        assert answer.json[member] in words
    assert f"Status {status}" in words
    assert ("Try again in" in words) == (answer.json["retry_after"] is not None)


def ask(balancer: Balancer, path: str, *fields: str, source: str = "127.0.0.1") -> Answer:
    with Connection(balancer, source) as connection:
        return connection.ask(request("GET", path, None, *fields))


@pytest.mark.parametrize("accept", [FIREFOX, CHROMIUM, "Accept: text/html"])
def test_a_person_gets_a_page(served: tuple[Balancer, Recorder], accept: str) -> None:
    check_page(ask(served[0], "/nowhere", accept, source="127.0.1.1"), 404)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/api/nowhere", [FIREFOX]),
        ("/nowhere", []),
        ("/nowhere", ["Accept: */*"]),
        ("/nowhere", ["Accept: application/json, text/html"]),
        ("/nowhere", ["Accept: text/html;q=0.1, application/problem+json"]),
    ],
)
def test_a_program_gets_the_problem(served: tuple[Balancer, Recorder], path: str, fields: list[str]) -> None:
    answer = ask(served[0], path, *fields, source="127.0.1.2")
    assert (answer.status, answer.headers["Content-Type"]) == (404, "application/problem+json")
    check_problem(answer)


def test_a_lost_or_late_answer_is_a_page(served: tuple[Balancer, Recorder]) -> None:
    balancer, recorder = served
    for lost, status in ((b"", 502), (None, 504)):
        recorder.answer = lost
        check_page(ask(balancer, "/about", FIREFOX, source="127.0.1.3"), status)
    recorder.answer = ANSWER


def test_too_many_requests_are_a_page(served: tuple[Balancer, Recorder]) -> None:
    with Connection(served[0], "127.0.1.4") as connection:
        for _ in range(200):
            answer = connection.ask(request("GET", "/nowhere", None, FIREFOX))
            if answer.status == 429:
                break
    check_page(answer, 429)


def test_without_a_replica_a_person_gets_a_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    program()
    with Balancer(tmp_path_factory.mktemp("lonely")) as balancer:
        check_page(ask(balancer, "/", FIREFOX), 503)

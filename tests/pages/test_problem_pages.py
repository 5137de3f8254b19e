"""Errors are pages, too, when a person asks for one: with the words of the problem, and never under /api/."""

import re

import msgspec

from services.api.http.failures import InternalError, MethodNotAllowed, failure
from services.api.pages.site import Site
from services.api.request.routes import UNKNOWN
from services.board import errors
from services.board.links import Links
from services.contract.answers.problems import FieldError, Problem
from services.contract.limits import FAILED_LOGINS
from services.contract.media_types import HTML
from tests.cases import for_each
from tests.pages.markup import parse, text_of
from tests.web import Answer, Web

# as Firefox sends it
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
LINKS = Links("https://board.example")
REFUSALS = (
    errors.NotFound(hint="This id belongs to a reply in thread 7."),
    errors.Invalid([FieldError(None, "<b>--><i>", "out_of_range", "page is 0; it must be at least 1.", 1, 0)]),
    errors.Limited(FAILED_LOGINS, "192.0.2.7", 12.5),
    errors.Unavailable(),
    errors.InvalidToken(),
    MethodNotAllowed("GET, HEAD"),
    InternalError(),
)


@for_each("refusal", REFUSALS, ids=lambda refusal: type(refusal).__name__)
def test_a_page_has_the_words_and_the_headers_of_its_problem(refusal: errors.BoardError) -> None:
    answer = failure(refusal, UNKNOWN, 2**100, LINKS)
    problem = msgspec.json.decode(answer.body, type=Problem)
    page = Site(LINKS).problem_page(answer)
    assert (page.status, page.media_type) == (answer.status, HTML)
    assert page.headers == answer.headers
    words = text_of(parse(page.body))
    for expected in (problem.title, problem.detail, problem.hint, problem.request_id, f"Status {problem.status}"):
        assert expected in words
    assert all(f"{error.field}: {error.detail}" in words for error in problem.errors)
    assert ("Try again in" in words) == (problem.retry_after is not None)
    assert f"Try again in {problem.retry_after} seconds." in words or problem.retry_after is None
    # the problem should be behind it, and nothing in it should end the comment
    (behind,) = re.findall(rb"<!-- (.*) -->$", page.body)
    assert b"--" not in behind
    assert msgspec.json.decode(behind, type=Problem) == problem


def asked(web: Web, path: str, accept: str | None, method: str = "GET") -> Answer:
    return web.call(method, path, headers={"Accept": accept} if accept else None)


def test_a_person_gets_a_page_and_a_program_the_problem(web: Web) -> None:
    for path, status in (("/t/9007199254740991", 404), ("/nowhere", 404), ("/agents?page=0", 400), ("/a/no_such", 404)):
        page = asked(web, path, BROWSER)
        assert (page.status, page.headers["Content-Type"]) == (status, HTML)
        words = text_of(parse(page.content))
        for accept in (None, "*/*", "application/json, text/html", "text/html;q=0.5, application/problem+json"):
            problem = asked(web, path, accept)
            assert (problem.status, problem.headers["Content-Type"]) == (status, "application/problem+json")
            assert problem.json["detail"] in words
    # HEAD should have the same headers
    head = asked(web, "/nowhere", BROWSER, "HEAD")
    assert (head.headers["Content-Type"], head.content) == (HTML, b"")

"""Paths and queries that no agent should send (interface 2.4, 3.3, 9.1): 404 or a 400 that names the parameter."""

from urllib.parse import quote

import pytest

from services.board.access.tokens import new_token
from services.contract.problems import PROBLEMS
from tests.api.raw import Raw
from tests.cases import for_each
from tests.raw import as_json, bearer, request
from tests.web import Agent

STRANGE = new_token()


@for_each(
    "path",
    ["//", "/api", "/api//threads", "//api/threads", "/api/threads/", "/api/threads//", "/api/agents/me/",
     "/api/threads/1/replies/", "/api/threads/1/vote", "/API/THREADS", "/api/threads;x=1", "/api%2Fthreads",
     "/api/../api/threads", "/api/%74hreads", "/%2e%2e/etc/passwd", "/metrics", "/readyz", "/effects.json/", "/%00",
     "/%ff", "/%", "/%zz", "/api/agents/a/b"],
)  # fmt: skip
@for_each("method", ["GET", "POST", "HEAD"])
def test_any_other_path_is_not_found_and_never_redirected(raw: Raw, method: str, path: str) -> None:
    answer = raw.ask(request(method, path))
    assert (answer.status, answer.effect) == (404, "none")
    assert "Location" not in answer.headers
    assert method == "HEAD" or answer.code == "not_found"
    assert raw.is_usable()


@for_each(
    "path, status, nearest",
    [("/api/threads/", 404, "The nearest route is GET or POST /api/threads. "),
     ("/v2/agents/me/", 404, "The nearest route is GET or PATCH /api/agents/me. "),
     ("/skill", 404, "The nearest route is GET /skill.md. "),
     ("/thread/7", 404, "The nearest routes are GET or POST /api/threads, GET /api/threads/{id}, "),
     ("/nowhere", 404, PROBLEMS["not_found"].hint),
     ("/api/threads/7/replies", 405, "The nearest read is GET /api/threads/{id}: ")],
)  # fmt: skip
def test_a_guess_is_led_to_the_nearest_routes(raw: Raw, path: str, status: int, nearest: str) -> None:
    answer = raw.ask(request("GET", path))
    assert (answer.status, answer.json["hint"][: len(nearest)]) == (status, nearest)


def test_thousands_of_slashes_are_one_wrong_path(raw: Raw) -> None:
    for path in ("/" * 7000, "/api/threads" + "/" * 7000, "/a" * 3500, "/api/threads/" + "a/" * 3000):
        assert raw.ask(request("GET", path)).status == 404
    assert raw.is_usable()


@for_each("query", ["", "?", "&&&", "=", "=1", "a", "a=b=c", "%", "%zz=%", "a=1;b=2", "limit", "%00=%00"])
def test_a_query_that_says_nothing_we_know_is_ignored(raw: Raw, query: str) -> None:
    answer = raw.ask(request("GET", f"/api/threads?{query}"))
    if query == "limit":
        assert answer.codes == [("limit", "wrong_type")]
    else:
        assert answer.status == 200
    assert raw.is_usable()


def test_a_hundred_parameters_pass_and_no_more(raw: Raw) -> None:
    assert raw.ask(request("GET", "/api/threads?" + "&".join(["a=1"] * 100))).status == 200
    answer = raw.ask(request("GET", "/api/threads?" + "&".join(["a=1"] * 101)))
    assert (answer.status, answer.codes) == (400, [("query", "bad_format")])
    assert answer.json["errors"][0]["limit"] == 100


# A token in the URL


def in_every_place(token: str) -> list[tuple[str, str]]:
    """Calls with a token in the query or the path, including paths that have no route."""
    escaped = "".join(f"%{ord(c):02X}" for c in token)
    half = token[:20] + escaped[60:]
    return [
        (method, place.format(form))
        for form in (token, escaped, half, f"x{token}y")
        for method, place in (
            ("GET", "/api/threads?token={}"),
            ("GET", "/api/threads?a=1&{}=b"),
            ("GET", "/api/health?q={}"),
            ("GET", "/api/agents/{}"),
            ("GET", "/api/agents/me?access_token={}"),
            ("POST", "/api/threads?{}"),
            ("GET", "/nowhere/{}"),
            ("GET", "/nowhere?x={}"),
            ("DELETE", "/api/threads?x={}"),
            ("OPTIONS", "/api/threads?x={}"),
        )
    ]


@pytest.mark.parametrize("whose", ["own", "unknown"])
def test_a_token_in_the_url_is_refused_wherever_it_stands(alice: Agent, raw: Raw, whose: str) -> None:
    token = alice.token if whose == "own" else STRANGE
    for method, target in in_every_place(token or ""):
        answer = raw.ask(request(method, target, None, bearer(alice.token)))
        # the call should be refused without repeating the token
        assert (answer.status, answer.code) == (400, "credential_in_url"), target
        assert (token or "") not in answer.content.decode()
    assert raw.is_usable()


def test_a_token_in_the_url_of_a_write_declares_that_write(alice: Agent, raw: Raw) -> None:
    body = as_json({"title": "t", "body": "b"})
    answer = raw.ask(request("POST", f"/api/threads?token={alice.token}", body, bearer(alice.token)))
    assert answer.effect == "post-public;scope=public;reversible=?0;applied=?0"
    assert alice.get("/api/agents/me").json["post_count"] == 0


def test_what_only_looks_like_a_token_is_none(raw: Raw) -> None:
    wrong = STRANGE[:-1] + ("a" if STRANGE[-1] != "a" else "b")
    for text in (wrong, "agb_", STRANGE[:-1], STRANGE.upper(), quote(wrong)):
        assert raw.ask(request("GET", f"/api/threads?q={text}")).status == 200

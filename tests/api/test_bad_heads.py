"""Request lines and headers that no agent should send (interface 2.4, 3.3): a 400 with the reason, never a 5xx."""

import pytest

from services.contract.bounds import HEAD_BYTES_MAX
from tests.api.raw import Raw
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.raw import as_json, bearer, request
from tests.web import Agent

ME = "/api/agents/me"
NEW = as_json({"title": "t", "body": "b"})


@pytest.mark.parametrize("size", [HEAD_BYTES_MAX + 1, 20_000])
@pytest.mark.parametrize("part", ["path", "query", "header"])
def test_a_head_that_is_too_long_is_refused_with_the_bound(raw: Raw, part: str, size: int) -> None:
    filler = "a" * size
    head = {
        "path": request("GET", f"/api/agents/{filler}"),
        "query": request("GET", f"/api/threads?author={filler}"),
        "header": request("GET", "/api/threads", None, f"X-Filler: {filler}"),
    }[part]
    answer = raw.ask(head)
    assert (answer.status, answer.codes) == (400, [("head", "too_long")])
    assert answer.json["errors"][0]["limit"] == HEAD_BYTES_MAX
    assert str(HEAD_BYTES_MAX) in answer.json["detail"]
    assert raw.is_closed()


# Methods


@pytest.mark.parametrize("method", ["BREW", "get", "Post", "X" * 1000])
def test_what_is_no_method_is_answered_with_those_of_the_path(raw: Raw, method: str) -> None:
    for path, allowed in (("/api/threads", "GET, HEAD, OPTIONS, POST"), ("/api/agents/register", "OPTIONS, POST")):
        answer = raw.ask(request(method, path))
        assert (answer.status, answer.code, answer.headers["Allow"]) == (405, "method_not_allowed", allowed)
        assert answer.effect == "none"
    assert raw.ask(request("OPTIONS", "*")).status == 404
    assert raw.is_usable()


# Headers sent twice


def test_two_credentials_are_refused(alice: Agent, bob: Agent, raw: Raw) -> None:
    for second in (alice.token, bob.token, "x"):
        answer = raw.ask(request("GET", ME, None, bearer(alice.token), bearer(second)))
        assert (answer.status, answer.codes) == (400, [("Authorization", "too_many")])
    # public routes should refuse them too, and a route that ignores credentials should ignore both
    assert raw.ask(request("GET", "/api/threads", None, bearer(alice.token), bearer(bob.token))).status == 400
    answer = raw.ask(request("POST", "/api/agents/register", b"{}", bearer("x"), bearer("y")))
    assert answer.codes == [("name", "required")]
    assert raw.is_usable()


def test_two_idempotency_keys_are_refused(alice: Agent, raw: Raw, operator: Operator) -> None:
    before = operator.sql("SELECT last_id FROM log_head")
    for keys in (("a", "b"), ("a", "a"), ("", "a")):
        fields = [f"Idempotency-Key: {key}" for key in keys]
        answer = raw.ask(request("POST", "/api/threads", NEW, bearer(alice.token), *fields))
        assert (answer.status, answer.code) == (400, "invalid_idempotency_key")
    assert operator.sql("SELECT last_id FROM log_head") == before
    assert raw.is_usable()


def test_a_token_in_the_idempotency_key_is_not_kept(alice: Agent, raw: Raw, operator: Operator) -> None:
    for key in (alice.token, f'"{alice.token}"', f"x-{alice.token}-y"):
        answer = raw.ask(request("POST", "/api/threads", NEW, bearer(alice.token), f"Idempotency-Key: {key}"))
        assert (answer.status, answer.code) == (400, "secret_detected")
    assert operator.count("posts", f"idempotency_key LIKE '%{alice.token}%'") == 0
    assert raw.is_usable()


def test_the_host_header_is_never_used(raw: Raw, api: ApiProcess) -> None:
    answer = raw.ask(b"GET /openapi.json HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n\r\n")
    assert answer.json["servers"] == [{"url": api.url}]
    assert b"evil" not in answer.content
    answer = raw.ask(b"GET http://evil.example/api/nowhere HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    assert answer.json["docs"] == f"{api.url}/communication.md"
    assert b"evil" not in answer.content

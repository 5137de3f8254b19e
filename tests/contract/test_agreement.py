"""The contract is declared once: router, /effects.json, /openapi.json and handlers agree with it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sanic import HTTPResponse, Sanic

from services.api.http.server import make_server
from services.api.request.routes import add_routes
from services.contract import effects as effects_module
from services.contract.effects import EFFECTS, NONE, READ_PRIVATE, Effect
from services.contract.limits import LIMITS
from services.contract.operation import SLASHED, Operation
from services.contract.operations import CLIENT_WHEEL, INTERFACE, OPERATIONS
from tests.contract.examples import each_of
from tests.web import Web

Server = Sanic[Any, Any]
DECLARED = {(operation.method, operation.path) for operation in OPERATIONS}


async def answer(*_: Any) -> HTTPResponse:
    """Never called."""
    raise AssertionError


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """The server with its routes, not started."""
    server = make_server()
    add_routes(server, answer)
    yield server
    Sanic.unregister_app(server)


def routes(server: Server) -> set[tuple[str, str]]:
    """Every method and path of the router, in the notation of the contract."""
    return {(method, "/" + nameless_route(route.path)) for route in server.router.routes for method in route.methods}


def nameless_route(path: str) -> str:
    return re.sub(r"<\w+=str:ext=(\w+)>", r"{}.\1", re.sub(r"<(?:__dynamic__|\w+):(?:str|path)>", "{}", path))


def cache_control(operation: Operation) -> str:
    """The Cache-Control of an operation's answers, as interface 2.6 defines it."""
    if operation.method != "GET" or operation.name == "check_health":
        return "no-store"
    if operation.effect is READ_PRIVATE:
        return "private, no-cache"
    if operation.fixed:
        return "public, max-age=300"
    if set(operation.parameters) & set(SLASHED):
        return "public, max-age=31536000, immutable"
    return "public, max-age=60" if operation.name == "read_receipt" else "public, max-age=0, must-revalidate"


@each_of(OPERATIONS)
def test_only_what_is_public_is_kept_by_caches_and_for_no_longer_than_it_may(operation: Operation) -> None:
    assert operation.cache == cache_control(operation)


def nameless(path: str) -> str:
    return re.sub(r"{\w+}", "{}", path)


def test_the_router_has_the_operations_and_no_other_route(server: Server) -> None:
    own = {(method, nameless(path)) for method, path in DECLARED}
    heads = {("HEAD", path) for method, path in own if method == "GET"}
    asks = {("OPTIONS", path) for _, path in own}
    assert routes(server) == own | heads | asks


def test_the_description_has_the_operations_for_programs_and_no_other(web: Web) -> None:
    document = web.get("/openapi.json").json
    paths, otherwise = document["paths"], document["security"]
    listed = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert listed == {(operation.method, operation.path) for operation in INTERFACE}
    for operation in INTERFACE:
        described = paths[operation.path][operation.method.lower()]
        assert described["operationId"] == operation.operation_id
        assert described["x-agent-effect"] == operation.effect.token
        assert described.get("security", otherwise) == ([{"bearer": []}] if operation.effect.needs_token else [])


def test_the_effect_contract_lists_every_write_and_authenticated_read_and_nothing_else(web: Web) -> None:
    rows = web.get("/effects.json").json["operations"]
    listed = {(row["method"], row["path"], row["effect"], row["auth"]) for row in rows}
    expected = {
        (operation.method, operation.path, operation.effect.token, "bearer" if operation.effect.needs_token else "none")
        for operation in OPERATIONS
        if operation.effect is not NONE
    }
    assert listed == expected
    assert len(rows) == len(listed)


def test_only_reads_are_gets_and_only_writes_have_a_durable_effect() -> None:
    for operation in OPERATIONS:
        assert (operation.method == "GET") == (operation.effect in (NONE, READ_PRIVATE)), operation.name
        assert operation.effect.durable == (operation.method != "GET"), operation.name


def test_every_declared_effect_and_limit_is_listed() -> None:
    assert [value for value in vars(effects_module).values() if isinstance(value, Effect)] == list(EFFECTS)
    assert {operation.effect.token for operation in OPERATIONS} <= {effect.token for effect in EFFECTS}
    assert {operation.limit for operation in OPERATIONS} - {None} <= set(LIMITS)


def test_the_documents_are_those_of_the_interface() -> None:
    assert {operation.path for operation in OPERATIONS if operation.document} == {
        "/skill.md", "/heartbeat.md", "/rules.md", "/welcome.md", "/communication.md", "/join", "/stay-in-the-loop",
        "/openapi.json", "/effects.json", "/llms.txt", "/robots.txt", "/.well-known/agent.json",
        "/.well-known/agent-card.json", "/.well-known/security.txt",
        "/about", "/docs", "/style.css", "/script.js", "/favicon.svg",
        f"/client/{CLIENT_WHEEL}",
    }  # fmt: skip

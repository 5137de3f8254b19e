"""The routes: one for each operation, and OPTIONS for every path. Sanic's router finds them."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from sanic import HTTPResponse, Sanic

from services.api.cache.tags import is_remembered
from services.api.handlers.row import Handler
from services.api.http.receiving import AnyRequest
from services.contract.effects import NONE
from services.contract.operation import SLASHED, Operation
from services.contract.operations import NAMED, OPERATIONS

from .table import handlers

# Requests without a route, and OPTIONS, are counted under this operation.
UNKNOWN: Final = Operation("unknown", "", "", "No operation.", None)


@dataclass(eq=False)
class Endpoint:
    """The target of a route. Without a handler it answers OPTIONS.

    `allowed` lists the methods of the path. If `readable`, pages of other sites may read the path too; if `remembered`,
    its answers are cached. `otherwise` serves the clients that do not prefer a page for people.
    """

    operation: Operation
    handler: Handler | None
    allowed: str
    readable: bool = False
    remembered: bool = False
    otherwise: "Endpoint | None" = None


Respond = Callable[[AnyRequest, Endpoint, dict[str, str]], Awaitable[HTTPResponse]]


@dataclass(eq=False)
class Route:
    """What Sanic calls with a request that has found its route, and with its path parameters as they were sent."""

    endpoint: Endpoint
    respond: Respond

    async def __call__(self, request: AnyRequest, **path: str) -> HTTPResponse:
        return await self.respond(request, self.endpoint, path)


def add_routes(server: Sanic[Any, Any], respond: Respond) -> None:
    """Let the server answer the requests for all operations with `respond`.

    The routes are those of streams: their bodies are read after the credential was checked.
    """
    known = handlers()
    paths: dict[str, list[str]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, ["OPTIONS"]).extend(methods_of(operation))
    for operation in OPERATIONS:
        allowed = ", ".join(sorted(paths[operation.path]))
        handler, otherwise = known[operation.name], other_endpoint(operation, known, allowed)
        endpoint = Endpoint(operation, handler, allowed, remembered=is_remembered(operation), otherwise=otherwise)
        add_route(server, operation.path, methods_of(operation), operation.name, Route(endpoint, respond))
    readable = {operation.path for operation in OPERATIONS if operation.effect is NONE}
    for number, (path, methods) in enumerate(paths.items()):
        endpoint = Endpoint(UNKNOWN, None, ", ".join(sorted(methods)), path in readable)
        add_route(server, path, ["OPTIONS"], f"options_{number}", Route(endpoint, respond))


def methods_of(operation: Operation) -> list[str]:
    return ["GET", "HEAD"] if operation.method == "GET" else [operation.method]


def other_endpoint(operation: Operation, known: dict[str, Handler], allowed: str) -> Endpoint | None:
    """The endpoint that serves the other document of an operation, if it has one, counted under its name."""
    if operation.otherwise is None:
        return None
    other = replace(NAMED[operation.otherwise], name=operation.name, otherwise=operation.otherwise)
    return Endpoint(other, known[operation.otherwise], allowed)


def add_route(server: Sanic[Any, Any], path: str, methods: list[str], name: str, route: Route) -> None:
    uri = path
    for parameter in re.findall(r"{(\w+)}", uri):
        uri = uri.replace(f"{{{parameter}}}", f"<{parameter}:{'path' if parameter in SLASHED else 'str'}>")
    server.add_route(route, uri, methods=methods, name=name, strict_slashes=True, stream=True)


def allowed_methods(server: Sanic[Any, Any], path: str) -> str:
    """Return the methods of a path that exists. Sanic does not name them for a path with parameters."""
    _, route, _ = server.router.get(path, "OPTIONS", None)
    return str(route.endpoint.allowed)  # type: ignore[attr-defined]

"""The routes from a method and path to an Endpoint. Sanic's router finds them, but never calls anything."""

from dataclasses import dataclass, replace
from typing import Any, Final

from sanic.exceptions import MethodNotAllowed as SanicMethodNotAllowed
from sanic.exceptions import NotFound as SanicNotFound
from sanic.router import Router

from services.api.cache.bounded import BoundedDict
from services.api.http.failures import MethodNotAllowed
from services.api.http.head import HeadRequest
from services.api.http.negotiation import wants_page
from services.api.http.parsing import parse_path, refuse_credential
from services.board import errors
from services.board.tags import is_remembered
from services.contract.effects import NONE
from services.contract.guesses import nearest
from services.contract.operations import NAMED, OPERATIONS, Operation

from .call import Call
from .handlers import Handler, handlers

TARGETS_MAX: Final = 10_000
TARGET_BYTES_MAX: Final = 256
# Requests without a route, and OPTIONS, are counted under this operation.
UNKNOWN: Final = Operation("unknown", "", "", "No operation.", None)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The target of a route. Without a handler it answers OPTIONS.

    `allowed` lists the methods of the path. If `readable`, pages of other sites may read the path too; if `remembered`,
    its answers are cached. `otherwise` serves the clients that do not prefer a page for people.
    """

    operation: Operation | None
    handler: Handler | None
    allowed: str
    readable: bool = False
    remembered: bool = False
    otherwise: "Endpoint | None" = None

    async def __call__(self) -> None:
        """Never called; the router accepts only callables."""


class Routes:
    """Finds the endpoints of requests, and remembers those of short URLs."""

    def __init__(self, router: Any) -> None:
        self.router = router
        self.targets: BoundedDict[tuple[str, bytes], tuple[Endpoint, dict[str, Any]]] = BoundedDict(TARGETS_MAX)

    def find(self, request: HeadRequest, call: Call) -> Endpoint:
        """Set the operation and path parameters of a call, and return its endpoint.

        Raises NotFound, MethodNotAllowed, CredentialInURL.
        """
        key = request.method, request.raw_url
        target = self.targets.get(key)
        if target is None:
            endpoint, raw_path = self.route(request)
            call.operation = endpoint.operation or UNKNOWN
            refuse_credential(request.raw_url)
            target = endpoint, parse_path(call.operation, raw_path)
            if len(request.raw_url) <= TARGET_BYTES_MAX:
                self.targets.put(key, target)
        endpoint, call.path = target
        if endpoint.otherwise is not None and not wants_page(request.headers):
            endpoint = endpoint.otherwise
        call.operation = endpoint.operation or UNKNOWN
        return endpoint

    def route(self, request: HeadRequest) -> tuple[Endpoint, dict[str, str]]:
        """Ask Sanic's router. Raises NotFound, MethodNotAllowed, CredentialInURL."""
        try:
            if request.raw_url == b"*":
                raise SanicNotFound()
            path = path_of(request)
            if path.endswith(b"/") and path != b"/":
                # Sanic would retry without the trailing slash, repeatedly; no other path of the board ends with one.
                raise SanicNotFound()
            _, endpoint, raw_path = self.router.get(path.decode(), request.method, None)
        except SanicNotFound:
            refuse_credential(request.raw_url)
            raise errors.NotFound(hint=nearest(path_of(request).decode("latin-1"))) from None
        except SanicMethodNotAllowed:
            refuse_credential(request.raw_url)
            # On a path with parameters Sanic does not know the allowed methods; the endpoint for OPTIONS does.
            _, endpoint, _ = self.router.get(path_of(request).decode(), "OPTIONS", None)
            raise MethodNotAllowed(endpoint.allowed) from None
        return endpoint, raw_path


def path_of(request: HeadRequest) -> bytes:
    """The path of a request. An absolute URL may have none, which means the same as "/"."""
    path: bytes = request.parsed_url.path or b"/"
    return path


def add_routes(router: Router) -> None:
    """Add one route per operation, and OPTIONS for every path."""
    known = handlers()
    paths: dict[str, list[str]] = {}
    for operation in OPERATIONS:
        methods = ["GET", "HEAD"] if operation.method == "GET" else [operation.method]
        paths.setdefault(operation.path, ["OPTIONS"]).extend(methods)
    for operation in OPERATIONS:
        allowed = ", ".join(sorted(paths[operation.path]))
        methods = ["GET", "HEAD"] if operation.method == "GET" else [operation.method]
        handler, otherwise = known[operation.name], other_endpoint(operation, known, allowed)
        endpoint = Endpoint(operation, handler, allowed, remembered=is_remembered(operation), otherwise=otherwise)
        add_route(router, operation.path, methods, operation.name, endpoint)
    readable = {operation.path for operation in OPERATIONS if operation.effect is NONE}
    for number, (path, methods) in enumerate(paths.items()):
        endpoint = Endpoint(None, None, ", ".join(sorted(methods)), path in readable)
        add_route(router, path, ["OPTIONS"], f"options_{number}", endpoint)


def other_endpoint(operation: Operation, known: dict[str, Handler], allowed: str) -> Endpoint | None:
    """The endpoint that serves the other document of an operation, if it has one, counted under its name."""
    if operation.otherwise is None:
        return None
    other = replace(NAMED[operation.otherwise], name=operation.name, otherwise=operation.otherwise)
    return Endpoint(other, known[operation.otherwise], allowed)


def add_route(router: Router, path: str, methods: list[str], name: str, endpoint: Endpoint) -> None:
    sanic_path = path.replace("{", "<").replace("}", ":str>")
    router.add(sanic_path, methods, endpoint, name=name, strict_slashes=True)

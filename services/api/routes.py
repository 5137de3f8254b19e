"""The routes: where a method and a path lead. Sanic's router finds them; it leads to an Endpoint, not to a function."""

from dataclasses import dataclass
from typing import Any

from sanic.exceptions import MethodNotAllowed as SanicMethodNotAllowed
from sanic.exceptions import NotFound as SanicNotFound
from sanic.request import Request
from sanic.router import Router

from services.board import errors
from services.board.contract.effects import NONE
from services.board.contract.operations import OPERATIONS, Operation
from services.board.tags import is_remembered

from .board import Call
from .handlers import Handler, handlers
from .parsing import parse_path, refuse_credential
from .recent import Recent
from .responses import MethodNotAllowed

TARGETS_MAX = 10_000
TARGET_BYTES_MAX = 256
# what a request to no operation, or to OPTIONS, is accounted as
UNKNOWN = Operation("unknown", "", "", "No operation.", None)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a route leads to; without a handler it answers OPTIONS for its path.

    `allowed` lists the methods of the path; `readable` says that everybody may read it, pages of other sites too, and
    `remembered` that its answers are kept in memory.
    """

    operation: Operation | None
    handler: Handler | None
    allowed: str
    readable: bool = False
    remembered: bool = False

    async def __call__(self) -> None:
        """Never called: Sanic's router takes only what could be."""


class Routes:
    """Finds where requests lead."""

    def __init__(self, router: Any) -> None:
        self.router = router
        self.targets: Recent[tuple[str, bytes], tuple[Endpoint, dict[str, Any]]] = Recent(TARGETS_MAX)

    def find(self, request: Request, call: Call) -> Endpoint:
        """Set the operation and path parameters of a call, and return where it leads. Short URLs are remembered.

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
        call.operation = endpoint.operation or UNKNOWN
        return endpoint

    def route(self, request: Request) -> tuple[Endpoint, dict[str, str]]:
        """The endpoint of a path and method. Raises NotFound, MethodNotAllowed, CredentialInURL."""
        try:
            if request.path.endswith("/"):
                # Sanic would look again without the last slash, and again; no path of the board ends in one
                raise SanicNotFound()
            _, endpoint, raw_path = self.router.get(request.path, request.method, None)
        except SanicNotFound:
            refuse_credential(request.raw_url)
            raise errors.NotFound() from None
        except SanicMethodNotAllowed:
            refuse_credential(request.raw_url)
            # Sanic does not know what is allowed on a path with parameters; what answers OPTIONS there does
            _, endpoint, _ = self.router.get(request.path, "OPTIONS", None)
            raise MethodNotAllowed(endpoint.allowed) from None
        return endpoint, raw_path


def add_routes(router: Router) -> None:
    """One route per operation, and OPTIONS for every path. The router leads to an Endpoint, not to a function."""
    known = handlers()
    paths: dict[str, list[str]] = {}
    for operation in OPERATIONS:
        methods = ["GET", "HEAD"] if operation.method == "GET" else [operation.method]
        paths.setdefault(operation.path, ["OPTIONS"]).extend(methods)
    for operation in OPERATIONS:
        allowed = ", ".join(sorted(paths[operation.path]))
        methods = ["GET", "HEAD"] if operation.method == "GET" else [operation.method]
        endpoint = Endpoint(operation, known[operation.name], allowed, remembered=is_remembered(operation))
        add_route(router, operation.path, methods, operation.name, endpoint)
    readable = {operation.path for operation in OPERATIONS if operation.effect is NONE}
    for number, (path, methods) in enumerate(paths.items()):
        endpoint = Endpoint(None, None, ", ".join(sorted(methods)), path in readable)
        add_route(router, path, ["OPTIONS"], f"options_{number}", endpoint)


def add_route(router: Router, path: str, methods: list[str], name: str, endpoint: Endpoint) -> None:
    sanic_path = path.replace("{", "<").replace("}", ":str>")
    router.add(sanic_path, methods, endpoint, name=name, strict_slashes=True)

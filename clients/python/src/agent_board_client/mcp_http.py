"""MCP over HTTP, for callers without an account: the SDK's own transport, without sessions and with bounds.

A session would hold memory for callers whom nobody knows. Every answer is one JSON document, so no stream stays open.
"""

import asyncio
import socket
from typing import Any, Final
from urllib.parse import urlsplit

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from .errors import BoardError

PATH: Final = "/mcp"
BODY_BYTES_MAX: Final = 1 << 18
# Less than the board's HAProxy waits.
CALL_SECONDS: Final = 25.0
CONNECTIONS_MAX: Final = 500
IDLE_SECONDS: Final = 75
DRAIN_SECONDS: Final = 30
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
PORTS: Final = {"http": 80, "https": 443}


def run(server: Server[Any], address: str, public: str) -> None:
    """Serve at HOST:PORT until SIGTERM or Ctrl-C. Requests may name the host of `public`, a URL, or the loopback.

    Raises BoardError if the address cannot be used.
    """
    with listening(address) as listener:
        host, port = listener.getsockname()[:2]
        print(f"MCP is served at http://{f'[{host}]' if ':' in host else host}:{port}{PATH}", flush=True)
        configuration = uvicorn.Config(
            application(server, public),
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=CONNECTIONS_MAX,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )
        uvicorn.Server(configuration).run(sockets=[listener])


def listening(address: str) -> socket.socket:
    """Return the listening socket of HOST:PORT; an IPv6 address stands in brackets. Raises BoardError."""
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise BoardError("This is not an address to serve at.", "Give HOST:PORT, such as 127.0.0.1:8200.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), int(port)), family=family)
    except OSError as error:
        raise BoardError(f"Cannot listen on {address}: {error.strerror}.", "Give another HOST:PORT.") from None


def application(server: Server[Any], public: str) -> Starlette:
    """Return the application: calls at /mcp, and /livez and /readyz, which answer while the process serves."""
    manager = StreamableHTTPSessionManager(
        server,
        json_response=True,
        stateless=True,
        security_settings=known_names(public),
        max_request_body_size=BODY_BYTES_MAX,
    )
    # Only POST: without sessions, a GET would hold a stream open on which nothing is ever sent.
    calls = Route(PATH, Timed(StreamableHTTPASGIApp(manager)), methods=["POST"])
    health = [Route(path, answer_alive) for path in ("/livez", "/readyz")]
    return Starlette(routes=[calls, *health], lifespan=lambda _: manager.run())


def known_names(public: str) -> TransportSecuritySettings:
    """Return the names that requests may have in Host and Origin; any other may be an attack by DNS rebinding."""
    parts = urlsplit(public)
    origin = f"{parts.scheme}://{parts.netloc}"
    default_port = f":{PORTS[parts.scheme]}" if parts.port is None else ""
    return TransportSecuritySettings(
        allowed_hosts=[parts.netloc, f"{parts.netloc}{default_port}", *LOOPBACK, *(f"{name}:*" for name in LOOPBACK)],
        allowed_origins=[origin, *(f"http://{name}:*" for name in LOOPBACK)],
    )


async def answer_alive(_: Request) -> PlainTextResponse:
    return PlainTextResponse("alive\n")


class Timed:
    """Ends a call that takes too long, also one whose body does not arrive."""

    def __init__(self, application: ASGIApp) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(CALL_SECONDS):
                await self.application(scope, receive, send)
        except TimeoutError:
            await PlainTextResponse("The call took too long.\n", 504)(scope, receive, send)

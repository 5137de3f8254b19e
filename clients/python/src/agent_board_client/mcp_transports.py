"""MCP over standard input and output, and over HTTP for callers without an account: the SDK's own transports.

Over HTTP there are no sessions, because one would hold memory for unknown callers, and every answer is one JSON
document, so no stream stays open. The container has 256 MiB. The process begins with 75 MiB, and 250 connections with
the largest body and answer have 90 MiB. Each of 8 calls in work has an answer of the board (1 MiB) and copies of it.

uvicorn waits without a limit for a client that sends half a request. A proxy in front of it has to bound that.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
import uvicorn
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from .addresses import PORTS
from .errors import BoardError, StorageError

INTERRUPTED: Final = 130
PATH: Final = "/mcp"
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
BODY_BYTES_MAX: Final = 1 << 16
# Less than the board's HAProxy waits.
CALL_SECONDS: Final = 25.0
CALLS_AT_ONCE: Final = 8
# The one that needs the board.
CALL: Final = "tools/call"
# More than the board's HAProxy opens, so that its checks are answered.
CONNECTIONS_MAX: Final = 250
IDLE_SECONDS: Final = 75
DRAIN_SECONDS: Final = 30
SOCKET_BYTES: Final = 1 << 16


def serve_streams(server: Server[Any]) -> None:
    """Serve until standard input ends, or until Ctrl-C. Raises StorageError if a stream cannot be used."""
    if sys.stdin is None:
        raise StorageError("Cannot read standard input: it is closed.")
    # A thread waits for the next line, and Python cannot interrupt it.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        anyio.run(pass_messages, server)
    except BaseExceptionGroup as errors:
        if errors.subgroup(OSError) is None:
            raise
        raise StorageError("Standard input or output failed.") from None


async def pass_messages(server: Server[Any]) -> None:
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


def serve_http(server: Server[Any], address: str, public: str) -> None:
    """Serve at HOST:PORT until SIGTERM or Ctrl-C. Requests may name the host of `public`, a URL, or the loopback.

    Raises BoardError if the address cannot be used.
    """
    # The SDK logs refused hosts with the words of the caller, and each client that leaves early as an error.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    with listening(address) as listener:
        host, port = listener.getsockname()[:2]
        print(f"MCP is served at http://{f'[{host}]' if ':' in host else host}:{port}{PATH}", flush=True)
        web_server(application(server, public)).run(sockets=[listener])


def listening(address: str) -> socket.socket:
    """Return the listening socket of HOST:PORT; an IPv6 address is in brackets. Raises BoardError."""
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise BoardError("This is not an address to serve at.", "Give HOST:PORT, such as 127.0.0.1:8200.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host.strip("[]"), int(port)), family=family)
        # Its connections inherit these: otherwise, the kernel would keep megabytes for a client that does not read.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BYTES)
        return listener
    except OSError as error:
        raise BoardError(f"Cannot listen on {address}: {error.strerror}.", "Give another HOST:PORT.") from None


def web_server(application: ASGIApp) -> uvicorn.Server:
    """Return the web server, which answers requests on more than its number of connections with a 503."""
    configuration = uvicorn.Config(
        application,
        http="h11",
        ws="none",
        # uvicorn warns of requests that are not HTTP: that is no fault of this server.
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=CONNECTIONS_MAX,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    return uvicorn.Server(configuration)


def application(server: Server[Any], public: str) -> ASGIApp:
    """Return the application: calls at /mcp, and /livez and /readyz, which answer while the process serves."""
    bound_calls(server)
    manager = StreamableHTTPSessionManager(
        server,
        json_response=True,
        stateless=True,
        security_settings=security(public),
        max_request_body_size=BODY_BYTES_MAX,
    )
    # Only POST: without sessions, a GET would hold a stream open on which nothing is ever sent.
    calls = Route(PATH, StreamableHTTPASGIApp(manager), methods=["POST"])
    health = [Route(path, answer_alive) for path in ("/livez", "/readyz")]
    # A redirect to the path without its slash would lead to the host that the caller named.
    return Router([calls, *health], redirect_slashes=False, lifespan=lambda _: manager.run())


async def answer_alive(_: Request) -> PlainTextResponse:
    return PlainTextResponse("alive\n")


def security(public: str) -> TransportSecuritySettings:
    """Return the hosts and origins that requests may name: those of the board's public address, and the loopback.

    A web page can point a name of its own at a private address (DNS rebinding). The browser of its reader then calls
    this server, with the page's name in Host and in Origin.
    """
    parts = urlsplit(public)
    own = [parts.netloc, *([] if parts.port else [f"{parts.netloc}:{PORTS[parts.scheme]}"])]
    loopback = [*LOOPBACK, *(f"{host}:*" for host in LOOPBACK)]
    origins = [f"{scheme}://{host}" for scheme in PORTS for host in loopback]
    return TransportSecuritySettings(
        allowed_hosts=[*own, *loopback], allowed_origins=[*(f"{parts.scheme}://{host}" for host in own), *origins]
    )


def bound_calls(server: Server[Any]) -> None:
    """Bound how many calls of a server are in work, and how long one may take, its time in line included."""
    slots = asyncio.Semaphore(CALLS_AT_ONCE)

    async def bound(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method != CALL:
            return await call_next(ctx)
        try:
            async with asyncio.timeout(CALL_SECONDS), slots:
                return await call_next(ctx)
        except TimeoutError:
            raise MCPError(INTERNAL_ERROR, "The call took too long.") from None

    server.middleware.append(bound)

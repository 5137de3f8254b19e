"""MCP over HTTP, for callers without an account: the SDK's own transport, without sessions and with bounds.

A session would hold memory for unknown callers. Every answer is one JSON document, so no stream stays open.

Its container has 256 MiB. The process begins with 75 MiB. At their bounds, it also has 16 MiB of answers that
the client keeps, 500 connections with 40 KiB and a body of 64 KiB each (51 MiB), two copies of unread answers (32 MiB),
and 8 calls in work, each with an answer of the board (1 MiB) and copies of the result (4 MiB).
"""

import asyncio
import socket
from typing import Any, Final

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from .errors import BoardError
from .mcp_connections import CONNECTIONS_MAX, IDLE_SECONDS, Connections, protocol_for
from .mcp_exchange import BODY_BYTES_MAX, Exchanges, again
from .mcp_heads import JSON, Heads, in_one_spelling
from .mcp_messages import Malformed, parsed, without_mark, written

PATH: Final = "/mcp"
# Less than the board's HAProxy waits.
CALL_SECONDS: Final = 25.0
CALLS_AT_ONCE: Final = 8
# In work and in line: half of the connections, so that requests which are no calls are always answered.
CALLS_MAX: Final = CONNECTIONS_MAX // 2
DRAIN_SECONDS: Final = 30
SOCKET_BYTES: Final = 1 << 16
BUSY: Final = PlainTextResponse("Too many calls are waiting.\n", 503, {"Retry-After": "5"})
LATE: Final = PlainTextResponse("The call took too long.\n", 504)


def run(server: Server[Any], address: str, public: str) -> None:
    """Serve at HOST:PORT until SIGTERM or Ctrl-C. Requests may name the host of `public`, a URL, or the loopback.

    Raises BoardError if the address cannot be used.
    """
    with listening(address) as listener:
        host, port = listener.getsockname()[:2]
        print(f"MCP is served at http://{f'[{host}]' if ':' in host else host}:{port}{PATH}", flush=True)
        web_server(server, public).run(sockets=[listener])


def web_server(server: Server[Any], public: str) -> uvicorn.Server:
    """Return the web server, which bounds its connections."""
    connections = Connections()
    configuration = uvicorn.Config(
        Exchanges(application(server, public), connections),
        http=protocol_for(connections),
        ws="none",
        # uvicorn warns of requests that are not HTTP: that is no fault of this server.
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    return uvicorn.Server(configuration)


def listening(address: str) -> socket.socket:
    """Return the listening socket of HOST:PORT; an IPv6 address stands in brackets. Raises BoardError."""
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


def application(server: Server[Any], public: str) -> ASGIApp:
    """Return the application: calls at /mcp, and /livez and /readyz, which answer while the process serves."""
    # Heads are checked here, because the SDK compares hosts, origins and media types by their spelling.
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=BODY_BYTES_MAX
    )
    # Only POST: without sessions, a GET would hold a stream open on which nothing is ever sent.
    calls = Route(PATH, Calls(StreamableHTTPASGIApp(manager), Heads(public)), methods=["POST"])
    health = [Route(path, answer_alive) for path in ("/livez", "/readyz")]
    # A redirect to the path without its slash would lead to the host that the caller named.
    return Router([calls, *health], redirect_slashes=False, lifespan=lambda _: manager.run())


async def answer_alive(_: Request) -> PlainTextResponse:
    return PlainTextResponse("alive\n")


class Calls:
    """Bounds how many calls are in work and in line, and how long one may take, and refuses what is not a message."""

    def __init__(self, application: ASGIApp, heads: Heads) -> None:
        self.application = application
        self.heads = heads
        self.slots = asyncio.Semaphore(CALLS_AT_ONCE)
        self.calls = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (refusal := self.heads.refusal(scope)) is not None:
            await refusal(scope, receive, send)
            return
        if self.calls >= CALLS_MAX:
            await BUSY(scope, receive, send)
            return
        self.calls += 1
        try:
            async with asyncio.timeout(CALL_SECONDS), self.slots:
                await self.call(scope, receive, send)
        except TimeoutError:
            await LATE(scope, receive, send)
        finally:
            self.calls -= 1

    async def call(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        try:
            parsed(body)
        except Malformed as malformed:
            await Response(written(malformed.answer), 400, media_type=JSON)(scope, receive, send)
        else:
            await self.application(in_one_spelling(scope), again(without_mark(body), receive), send)

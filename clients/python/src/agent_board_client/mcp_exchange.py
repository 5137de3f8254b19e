"""One HTTP request and its answer: both pass whole, within deadlines, so that no call waits for a client."""

import asyncio
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .mcp_connections import Connection, Connections

BODY_BYTES_MAX: Final = 1 << 16
BODY_SECONDS: Final = 10.0
READ_SECONDS: Final = 30.0
LATE: Final = PlainTextResponse("The body did not arrive in time.\n", 408, {"Connection": "close"})
TOO_LARGE: Final = PlainTextResponse(f"A body may have {BODY_BYTES_MAX} bytes.\n", 413)


class Exchanges:
    """Reads a request before the application sees it, and sends the answer when the application is done with it."""

    def __init__(self, application: ASGIApp, connections: Connections) -> None:
        self.application = application
        self.connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        connection = self.connections.open.get(scope["client"])
        if connection is None:  # it was cut off
            return
        task = connection.task = asyncio.current_task()
        try:
            await self.exchange(connection, scope, receive, send)
        except asyncio.CancelledError:
            if task is None or connection.peer in self.connections.open:
                raise
            # The client is gone. Its call has ended, which is no fault of this task.
            task.uncancel()
        finally:
            connection.task = None
            self.connections.await_next(connection)

    async def exchange(self, connection: Connection, scope: Scope, receive: Receive, send: Send) -> None:
        self.connections.wait(connection)
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await whole_body(Headers(scope=scope), receive)
        except TimeoutError:
            application: ASGIApp = LATE
        else:
            application = TOO_LARGE if body is None else self.application
            receive = again(body or b"", receive)
        self.connections.end_wait(connection)
        answer = Answer()
        await application(scope, receive, answer.keep)
        await self.deliver(connection, answer, send)

    async def deliver(self, connection: Connection, answer: "Answer", send: Send) -> None:
        """Send an answer until the client has read it, or cut the client off."""
        self.connections.wait(connection, len(answer.body))
        end: Message = {"type": "http.response.body", "body": b"", "more_body": False}
        try:
            async with asyncio.timeout(READ_SECONDS):
                await send(answer.start)
                await send({"type": "http.response.body", "body": answer.body, "more_body": True})
                await send(end)
        except TimeoutError:
            self.connections.cut(connection)
            await send(end)  # returns when the connection is lost


class Answer:
    """An answer that is not sent yet."""

    def __init__(self) -> None:
        self.start: Message = {}
        self.body = b""

    async def keep(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start, self.body = message, b""
        else:
            self.body += message.get("body", b"")


async def whole_body(headers: Headers, receive: Receive) -> bytes | None:
    """Return the body of a request, or None if it is larger than its bound."""
    length = headers.get("Content-Length", "0")
    if length.isdigit() and int(length) > BODY_BYTES_MAX:
        return None
    body = bytearray()
    more = True
    while more and len(body) <= BODY_BYTES_MAX:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body) if len(body) <= BODY_BYTES_MAX else None


def again(body: bytes, receive: Receive) -> Receive:
    """Return what receives a body that was read already, and then whatever follows."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again

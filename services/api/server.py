"""Sanic's server with one handler for every request: no middleware, no signals and no error pages of its own."""

import asyncio
from typing import Any, Final, cast

from sanic import Sanic
from sanic.exceptions import SanicException
from sanic.http import Stage

from services.api.cache.bounded import BoundedDict
from services.api.http.bodies import DRAIN_BYTES_MAX
from services.api.http.grammar import bad_head
from services.api.http.stream import HEADS_MAX, Heads, Stream
from services.api.http.wire import discard_rest, send
from services.contract.bounds import HEAD_BYTES_MAX

from .dispatch import Dispatch

RESPONSE_SECONDS: Final = 60
KEEP_ALIVE_SECONDS: Final = 75


class Server(Sanic[Any, Any]):
    """Passes every request to `dispatcher`; once `quiet`, every answer closes its connection."""

    __slots__ = ("dispatcher", "heads", "quiet")

    def __init__(self) -> None:
        super().__init__("agent-board", configure_logging=False, strict_slashes=True)
        self.config.ACCESS_LOG = False
        self.config.REQUEST_MAX_SIZE = DRAIN_BYTES_MAX
        self.config.REQUEST_MAX_HEADER_SIZE = HEAD_BYTES_MAX
        self.config.RESPONSE_TIMEOUT = RESPONSE_SECONDS
        self.config.KEEP_ALIVE_TIMEOUT = KEEP_ALIVE_SECONDS
        self.config.FALLBACK_ERROR_FORMAT = "json"
        self.dispatcher: Dispatch | None = None
        self.heads: Heads = BoundedDict(HEADS_MAX)
        self.quiet = False

    async def handle_request(self, request: Any) -> None:
        """Answer one request, then count and log it: as 499 if the client did not take the answer."""
        dispatcher, stream = self.dispatcher, cast(Stream, request.stream)
        assert dispatcher is not None
        call, answer, seconds = await dispatcher.answer(request)
        try:
            await send(stream, answer, self.quiet)
        except asyncio.CancelledError:
            dispatcher.accounting.record_hang_up(request.method, call, seconds)
            stream.cut()
            raise
        dispatcher.accounting.record(request.method, call, answer, seconds)
        if stream.request_body or not stream.keep_alive:
            await discard_rest(stream)

    async def handle_exception(self, request: Any, exception: BaseException, run_middleware: bool = True) -> None:
        """Answer a request that Sanic refused before dispatch. If its client is gone, there is no one to answer."""
        assert self.dispatcher is not None
        stream: Any = request.stream
        if stream is None or stream.stage is not Stage.HANDLER:
            return
        if not isinstance(exception, Exception) or stream.is_cut():
            raise asyncio.CancelledError
        await send(stream, self.dispatcher.refuse(request, board_error(exception)), self.quiet)
        await discard_rest(stream)


def board_error(exception: Exception) -> Exception:
    """Return the board's own error for an exception of Sanic."""
    return bad_head() if isinstance(exception, SanicException) and exception.status_code < 500 else exception

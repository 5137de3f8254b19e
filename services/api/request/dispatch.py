"""The one path of every request that has found its route: take the steps, answer every error, count and log."""

import asyncio
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from services.api.handlers.call import Call, CallOf
from services.api.handlers.resources import Resources
from services.api.http.receiving import AnyRequest, wants_page
from services.api.http.request_id import new_request_id
from services.api.http.responses import Answer, see_other
from services.api.http.sending import Response
from services.board import errors
from services.process.http_server import HttpServer

from .accounting import Accounting
from .routes import UNKNOWN, Endpoint
from .steps import Steps

# Programs call these paths, whatever types they accept.
API: Final = "/api/"
# A short answer fits into the buffers of its connection.
SHORT_BYTES: Final = 2**16
UNREAD_BYTES_MAX: Final = 64 * 2**20


@dataclass(eq=False, kw_only=True)
class Dispatch:
    """Answers requests, which come to `server`."""

    resources: Resources
    steps: Steps
    accounting: Accounting
    server: HttpServer

    async def respond(self, request: AnyRequest, endpoint: Endpoint, path: dict[str, str]) -> Response:
        """Return the response to a request that has found its route. Raises nothing but a cancellation."""
        call: Call = CallOf(UNKNOWN, new_request_id())
        request.ctx.call = call
        self.server.note(request.transport)
        began = perf_counter()
        self.accounting.metrics.in_flight += 1
        try:
            answer = await self.steps.walk(request, call, endpoint, path)
            self.check_room(call, answer)
        except Exception as error:  # noqa: BLE001 - every error is answered, and logged where it is translated
            answer = self.failure(error, request, call)
        except asyncio.CancelledError:
            if request.transport is not None and request.transport.is_closing():
                call.seconds = perf_counter() - began
                self.accounting.record_hang_up(request.method, call)
            raise
        finally:
            self.accounting.metrics.in_flight -= 1
        call.seconds = perf_counter() - began
        return self.complete(request, call, answer)

    def check_room(self, call: Call, answer: Answer) -> None:
        """Raise Unavailable for a long answer to a read while clients leave too much unread."""
        if len(answer.body) > SHORT_BYTES and not call.begun and self.server.unread_bytes() > UNREAD_BYTES_MAX:
            raise errors.Unavailable("Too many answers wait for clients that do not read them; nothing was changed.")

    def refuse(self, request: AnyRequest, call: Call, error: Exception) -> Response:
        """Return the response to a request that Sanic refuses with an error of the board."""
        return self.complete(request, call, self.failure(error, request, call))

    def complete(self, request: AnyRequest, call: Call, answer: Answer) -> Response:
        """Return an answer with the headers that every answer carries; count and log it."""
        self.accounting.complete(answer, call)
        self.accounting.record(request.method, call, answer)
        return Response(answer)

    def failure(self, error: Exception, request: AnyRequest, call: Call) -> Answer:
        """Return the answer to an error: a page if a person asked for one, but never under /api/.

        The page of a reply is its place on the page of its thread.
        """
        refusal = self.accounting.failure(error, call)
        if request.path.startswith(API):
            return refusal
        if isinstance(error, errors.NotFound) and error.thread is not None and call.operation.redirects:
            page = self.resources.links.reply_page(error.thread, call.path["id"], call.query.sort)
            return see_other(call.operation, page)
        return self.resources.site.problem_page(refusal) if wants_page(request) else refusal

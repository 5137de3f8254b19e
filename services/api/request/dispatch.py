"""The one path of every request: find the operation, authenticate, parse, handle, render.

The order of checks is part of the contract (interface 3.4): route, credential, closed registration, size, media type
and fields; then, in the transaction, replay, limit, existence and effect.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any, Final

from services.api.handlers.call import Call, CallOf
from services.api.handlers.resources import Resources
from services.api.handlers.row import Handler
from services.api.http.encodings import wants_page
from services.api.http.receiving import AnyRequest, keep_as_wanted
from services.api.http.request_id import new_request_id
from services.api.http.responses import Answer, add_cors, options, see_other, success, unless_known
from services.api.http.sending import Response
from services.api.http.trace_context import read_traceparent
from services.api.http.unsent import Unsent
from services.board import errors
from services.board.access.freezes import FreezeInForce
from services.contract.effects import ACCOUNT_CREATE, INBOX_ACK, POST_PUBLIC, VOTE_PUBLIC
from services.contract.limits import REFUSED_REGISTRATIONS
from services.contract.operation import PRIVATE_CACHE
from services.process import traces

from .accounting import Accounting
from .auth import Authenticator, has_rescue_key
from .cached_reads import CachedReads
from .inputs import Urls, read_body
from .routes import UNKNOWN, Endpoint
from .writes import Writes

# Programs call these paths, whatever types they accept.
API: Final = "/api/"
TOO_MUCH_UNREAD: Final = "Too many answers wait for clients that do not read them"
# The effects of writes whose transactions check the token themselves.
AUTHENTICATING: Final = frozenset({POST_PUBLIC, VOTE_PUBLIC, INBOX_ACK})
# The private reads whose statements do so.
POLLS: Final = frozenset({"list_inbox", "list_notifications", "read_home"})


@dataclass(eq=False, kw_only=True)
class Dispatch:
    """Answers requests. The change feed follows `registration_is_open`, whether agents can register, and `freeze`."""

    resources: Resources
    authenticator: Authenticator
    reads: CachedReads
    writes: Writes
    accounting: Accounting
    unsent: Unsent
    registration_is_open: Callable[[], bool]
    freeze: FreezeInForce
    urls: Urls = field(default_factory=Urls)

    async def respond(self, request: AnyRequest, endpoint: Endpoint, path: dict[str, str]) -> Response:
        """Return the response to a request that has found its route. Raises nothing but a cancellation."""
        call: Call = CallOf(UNKNOWN, new_request_id())
        request.ctx.call = call
        if "connection" in request.headers:
            keep_as_wanted(request)
        join_trace(request, call)
        began = perf_counter()
        self.accounting.metrics.in_flight += 1
        try:
            answer = await self.walk(request, call, endpoint, path)
            self.check_room(request, call, answer)
        except Exception as error:  # noqa: BLE001 - every error is answered, and logged where it is translated
            answer = self.failure(error, request, call)
        except asyncio.CancelledError:
            if request.conn_info is not None and request.conn_info.lost:
                call.seconds = perf_counter() - began
                self.accounting.record_hang_up(request.method, call)
            raise
        finally:
            self.accounting.metrics.in_flight -= 1
        call.seconds = perf_counter() - began
        return self.complete(request, call, answer)

    def check_room(self, request: AnyRequest, call: Call, answer: Answer) -> None:
        """Raise Unavailable for a long answer while too much waits for clients; OutcomeUnknown if a write was begun."""
        if request.method == "HEAD" or self.unsent.admit(answer.body):
            return
        if call.begun:
            raise errors.OutcomeUnknown(f"{TOO_MUCH_UNREAD}; whether the change was made is not known yet.")
        raise errors.Unavailable(f"{TOO_MUCH_UNREAD}; nothing was changed.")

    def refuse(self, request: AnyRequest, call: Call, error: Exception) -> Response:
        """Return the response to a request that Sanic refuses with an error of the board."""
        if call.traceparent is None:
            join_trace(request, call)
        return self.complete(request, call, self.failure(error, request, call))

    def complete(self, request: AnyRequest, call: Call, answer: Answer) -> Response:
        """Return an answer with the headers that every answer carries; when it was sent, it is counted and logged."""
        self.accounting.complete(answer, call)
        if request.conn_info is not None:
            request.conn_info.ctx.head_since = None  # the next head begins after this answer
        return Response(answer, request, partial(self.record, request.method, call, answer))

    def record(self, method: str, call: Call, answer: Answer, is_taken: bool) -> None:
        """Count and log one answer: as 499 if the client did not take it."""
        if is_taken:
            self.accounting.record(method, call, answer)
        else:
            self.accounting.record_hang_up(method, call)

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
        return self.resources.site.problem_page(refusal) if wants_page(request.headers) else refusal

    async def walk(self, request: AnyRequest, call: Call, endpoint: Endpoint, path: dict[str, str]) -> Answer:
        """Take a request through all steps. Raises the error of the first step that fails."""
        if endpoint.otherwise is not None and not wants_page(request.headers):
            endpoint = endpoint.otherwise
        call.operation = endpoint.operation
        self.urls.read_path(request, call, endpoint, path)
        if endpoint.handler is None:
            await read_body(request, call, self.resources.secret_guard)
            return options(endpoint.allowed, endpoint.readable)
        if call.operation.limit is not None and call.operation.limit.key == "address":
            call.address = self.authenticator.addresses.address_of(request)
        try:
            if call.operation.effect in AUTHENTICATING:
                return await self.change(request, call, endpoint.handler)
            if call.operation.name in POLLS:
                return await self.poll(request, call, endpoint.handler)
            return await self.work(request, call, endpoint.handler, endpoint.remembered)
        except errors.BoardError as refusal:
            await self.note(refusal, request, call)
            raise

    async def note(self, refusal: errors.BoardError, request: AnyRequest, call: Call) -> None:
        """Count a refusal against the caller's address if it may be a guess, and name the freeze that refused."""
        if isinstance(refusal, errors.InvalidToken | errors.RevokedToken):
            await self.authenticator.note_failure(request, call)
        elif isinstance(refusal, errors.Frozen):
            await self.reads.feed.catch_up()
            refusal.freeze = self.freeze.freeze
        elif isinstance(refusal, errors.NameTaken | errors.RegistrationClosed | errors.RegistrationsLimited):
            # without a key that was looked up, a closed registration was refused before it cost anything
            counts = call.key is not None or not isinstance(refusal, errors.RegistrationClosed)
            if counts and self.authenticator.throttle is not None:
                await self.authenticator.throttle.note_refusal(call, REFUSED_REGISTRATIONS)

    async def work(self, request: AnyRequest, call: Call, handler: Handler, remembered: bool) -> Answer:
        """Authenticate, then answer from memory or run the handler."""
        call.caller = await self.authenticator.authenticate(request, call)
        call.agent = (call.caller and call.caller.name) or None
        if call.operation.effect is ACCOUNT_CREATE and await self.is_closed(call):
            await self.read_rescue(request, call)
        else:
            await self.read(request, call)
        if remembered and not is_own(call):
            return await self.reads.read(request.headers, call, handler)
        answer = self.success(call, await self.handle(handler, call))
        if remembered:
            add_cors(answer)
            answer.headers["Cache-Control"] = PRIVATE_CACHE
        return unless_known(answer, request.headers.getall("if-none-match", []))

    async def read(self, request: AnyRequest, call: Call) -> None:
        """Read the body and the query. Raises the error of the first one that is wrong."""
        await read_body(request, call, self.resources.secret_guard)
        self.urls.read_query(request, call)

    async def is_closed(self, call: Call) -> bool:
        """Return whether registration is closed now, on all replicas."""
        if call.feed_read is None:
            call.feed_read = await self.reads.feed.catch_up()
        return not self.registration_is_open()

    async def read_rescue(self, request: AnyRequest, call: Call) -> None:
        """Read a registration while registration is closed.

        Raises RegistrationClosed unless it may be a rescue, or Frozen instead: that refusal comes first.
        """
        refusal = errors.RegistrationClosed() if self.freeze.freeze is None else errors.Frozen()
        if not has_rescue_key(request.headers):
            raise refusal
        try:
            await self.read(request, call)
        except errors.BoardError:
            raise refusal from None

    async def change(self, request: AnyRequest, call: Call, handler: Handler) -> Answer:
        """Run a write whose own transaction authenticates."""
        async with self.authenticating(request, call):
            self.urls.read_query(request, call)
            await read_body(request, call, self.resources.secret_guard)
            change = await self.handle(handler, call)
        if not change.applied and not call.holder.id:
            await self.verify(request, call)
        return self.success(call, change)

    async def poll(self, request: AnyRequest, call: Call, handler: Handler) -> Answer:
        """Run a read whose own statement authenticates, so it does not wait for the change feed."""
        async with self.authenticating(request, call):
            await self.read(request, call)
            page = await handler(self.resources, call)
        return unless_known(self.success(call, page), request.headers.getall("if-none-match", []))

    @asynccontextmanager
    async def authenticating(self, request: AnyRequest, call: Call) -> AsyncIterator[None]:
        """Run a block that authenticates the caller by itself, so no look-up before it has to be current.

        If the call was refused, the credential is looked up here: a bad one takes precedence over any other refusal.
        """
        call.caller = await self.authenticator.holder(request, call)
        call.agent = call.caller.name or None
        try:
            yield
        except (errors.Unavailable, errors.OutcomeUnknown):
            raise
        except errors.BoardError:
            await self.verify(request, call)
            raise

    async def verify(self, request: AnyRequest, call: Call) -> None:
        """Look the credential up, and note whose it is."""
        call.agent = None
        caller = await self.authenticator.authenticate(request, call)
        call.agent = None if caller is None else caller.name

    def success(self, call: Call, result: Any) -> Answer:
        return success(call.operation, result, call.query, self.resources.links)

    async def handle(self, handler: Handler, call: Call) -> Any:
        """Run the handler."""
        if call.operation.effect.durable:
            return await self.writes.run(handler, call)
        return await handler(self.resources, call)


def is_own(call: Call) -> bool:
    """Whether an answer has what is the caller's own, of which not all changes reach the memory."""
    return getattr(call.query, "include", None) is not None


def join_trace(request: AnyRequest, call: Call) -> None:
    """Note the trace of a request: its caller's or, if spans are sent, that of its own span."""
    call.span, call.traceparent = traces.begin(read_traceparent(request.headers.getall("traceparent", ())))
    traces.current.set(call.traceparent)

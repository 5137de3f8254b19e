"""The one path of every request: find the operation, authenticate, parse, handle, render.

The order of checks is part of the contract (interface 3.4): route, credential, size, media type and fields; then, in
the transaction, replay, limit, existence and effect.
"""

import asyncio
from functools import partial
from time import perf_counter
from typing import Any, Final

import structlog
from sanic import HTTPResponse, empty
from sanic.exceptions import (
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestTimeout,
    SanicException,
    ServiceUnavailable,
)
from sanic.request import Request

from services.api.cache.reads import CachedReads
from services.api.http import failures
from services.api.http.addresses import ClientAddresses
from services.api.http.grammar import bad_head, long_head
from services.api.http.negotiation import wants_page
from services.api.http.parsing import refuse_credential
from services.api.http.request_id import new_request_id, ulid
from services.api.http.responses import Answer, options, see_other, success, unless_known
from services.api.http.sending import Response
from services.api.limits import Throttle
from services.board import errors
from services.board.database.failures import is_unavailable, rolled_back
from services.board.tokens import Caller, hash_token
from services.contract.effects import ACCOUNT_CREATE, POST_PUBLIC, VOTE_PUBLIC
from services.contract.guesses import nearest
from services.contract.limits import FAILED_LOGINS, REFUSED_REGISTRATIONS, Limit

from .accounting import Accounting
from .auth import Authenticator, possible_token
from .call import Call
from .handlers import Handler
from .inputs import Urls, read_body
from .lanes import Lanes
from .resources import Resources
from .routes import UNKNOWN, Endpoint, allowed_methods

log = structlog.get_logger()

# Programs call these paths, whatever types they accept.
API: Final = "/api/"

AnyRequest = Request[Any, Any]


class Dispatch:
    """Answers requests. Without a throttle, only PostgreSQL limits posts, and nothing else is limited."""

    def __init__(
        self,
        resources: Resources,
        throttle: Throttle | None,
        addresses: ClientAddresses,
        authenticator: Authenticator,
        reads: CachedReads,
        lanes: Lanes,
        accounting: Accounting,
    ) -> None:
        self.resources = resources
        self.throttle = throttle
        self.addresses = addresses
        self.authenticator = authenticator
        self.tokens = authenticator.tokens
        self.reads = reads
        self.lanes = lanes
        self.accounting = accounting
        self.metrics = accounting.metrics
        self.urls = Urls()
        self.writes: set[asyncio.Task[Any]] = set()  # in flight

    async def respond(self, request: AnyRequest, endpoint: Endpoint, path: dict[str, str]) -> Response:
        """Return the response to a request that has found its route. Raises nothing but a cancellation."""
        call = request.ctx.call = Call(UNKNOWN, new_request_id())
        if request.conn_info is not None:
            request.conn_info.ctx.newest = call
        began = perf_counter()
        self.metrics.in_flight.inc()
        try:
            answer = await self.walk(request, call, endpoint, path)
        except Exception as error:  # noqa: BLE001 - every error is answered, and logged where it is translated
            answer = self.failure(error, request, call)
        except asyncio.CancelledError:
            if request.conn_info is not None and request.conn_info.lost:
                call.seconds = perf_counter() - began
                self.accounting.record_hang_up(request.method, call)
            raise
        finally:
            self.metrics.in_flight.dec()
        call.seconds = perf_counter() - began
        return self.complete(request, call, answer)

    def refuse(self, request: AnyRequest, exception: BaseException) -> HTTPResponse:
        """Return the response to a request that Sanic refuses: it has no route, is malformed or took too long.

        A client that has hung up gets none, and its call was counted.
        """
        if isinstance(exception, asyncio.CancelledError):
            return empty()
        call = getattr(request.ctx, "call", None)
        if isinstance(exception, ServiceUnavailable) and call is not None:
            error: Exception = timed_out(call)
        else:
            call, error = Call(UNKNOWN, new_request_id()), refused(request, exception)
        return self.complete(request, call, self.failure(error, request, call))

    def complete(self, request: AnyRequest, call: Call, answer: Answer) -> Response:
        """Return an answer with the headers that every answer carries; when it was sent, it is counted and logged."""
        self.accounting.complete(answer, call)
        return Response(answer, request, partial(self.record, request.method, call, answer))

    def record(self, method: str, call: Call, answer: Answer, is_taken: bool) -> None:
        """Count and log one answer: as 499 if the client did not take it."""
        if is_taken:
            self.accounting.record(method, call, answer)
        else:
            self.accounting.record_hang_up(method, call)

    def failure(self, error: Exception, request: AnyRequest, call: Call) -> Answer:
        """Return the answer to an error: a page if a person asked for one, but never under /api/.

        A person who asks for a reply as if it were a thread is sent to it.
        """
        refusal = self.accounting.failure(error, call)
        if not wants_page(request.headers) or request.path.startswith(API):
            return refusal
        if isinstance(error, errors.NotFound) and error.thread is not None:
            return see_other(call.operation, self.resources.links.reply_page(error.thread, call.path["id"]))
        return self.resources.site.problem_page(refusal)

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
            call.address = self.address_of(request)
        try:
            if call.operation.effect in (POST_PUBLIC, VOTE_PUBLIC):
                return await self.publish(request, call, endpoint.handler)
            return await self.work(request, call, endpoint.handler, endpoint.remembered)
        except (errors.InvalidToken, errors.RevokedToken):
            await self.note_failed_login(request, call)
            raise
        except errors.NameTaken:
            await self.note_refusal(call, REFUSED_REGISTRATIONS)
            raise

    def is_guessing(self, request: AnyRequest) -> bool:
        """Return whether the client's address has sent too many bad tokens."""
        throttle = self.throttle
        return throttle is not None and bool(throttle.guessing) and throttle.is_guessing(self.address_of(request))

    async def authenticate(self, request: AnyRequest, call: Call) -> Caller | None:
        """Return the caller, or None. Raises Limited before the look-up if the address has sent too many bad tokens."""
        look_up = partial(self.authenticator.authenticate, call, request.headers)
        if call.operation.effect is ACCOUNT_CREATE or not self.is_guessing(request):
            return await look_up()
        if self.throttle is None or not self.authenticator.is_guess(request.headers):
            return await look_up()
        call.address = self.address_of(request)
        return await self.throttle.run_guess(call, look_up)

    async def work(self, request: AnyRequest, call: Call, handler: Handler, remembered: bool) -> Answer:
        """Authenticate, then answer from memory or run the handler."""
        call.caller = await self.authenticate(request, call)
        call.agent = (call.caller and call.caller.name) or None
        await read_body(request, call, self.resources.secret_guard)
        self.urls.read_query(request, call)
        if remembered:
            return await self.reads.answer(request.headers, call, handler)
        answer = self.success(call, await self.handle(handler, call))
        return unless_known(answer, request.headers.getall("if-none-match", []))

    async def publish(self, request: AnyRequest, call: Call, handler: Handler) -> Answer:
        """Publish a post or count a vote; its own transaction authenticates, so no look-up before it has to be current.

        If the call was refused, the credential is looked up here: a bad one takes precedence over any other refusal.
        """
        call.caller = await self.holder(request, call)
        call.agent = call.caller.name or None
        try:
            self.urls.read_query(request, call)
            await read_body(request, call, self.resources.secret_guard)
            change = await self.handle(handler, call)
        except (errors.Unavailable, errors.OutcomeUnknown):
            raise
        except errors.BoardError:
            await self.verify(request, call)
            raise
        if not change.applied and not call.caller.id:
            await self.verify(request, call)
        return self.success(call, change)

    async def verify(self, request: AnyRequest, call: Call) -> None:
        """Look the credential up, and note whose it is."""
        call.agent = None
        caller = await self.authenticator.authenticate(call, request.headers)
        call.agent = None if caller is None else caller.name

    async def holder(self, request: AnyRequest, call: Call) -> Caller:
        """Return the unverified holder of the token; with an id if the token's first use is recorded.

        Publishing records the first use, a vote does not.
        """
        holder = self.authenticator.presented(request.headers)
        if holder.id or (holder.name and call.operation.effect is POST_PUBLIC):
            return holder
        return await self.authenticate(request, call) or holder

    async def note_failed_login(self, request: AnyRequest, call: Call) -> None:
        """Count a bad token against the client's address. Raises Limited instead of the 401 after too many."""
        token = possible_token(request.headers)
        if token is not None:
            call.address = self.address_of(request)
            self.tokens.pop(token, None)
            await self.note_refusal(call, FAILED_LOGINS)

    async def note_refusal(self, call: Call, limit: Limit) -> None:
        """Count a refused call against the client's address. Raises Limited instead of its error after too many."""
        if self.throttle is not None:
            await self.throttle.note_refusal(call, limit)

    def address_of(self, request: AnyRequest) -> str:
        """Return the window key of the client's address."""
        return self.addresses.key_of(request.ip, request.headers.getall("x-forwarded-for", []))

    def success(self, call: Call, result: Any) -> Answer:
        return success(call.operation, result, call.query, self.resources.links)

    async def handle(self, handler: Handler, call: Call) -> Any:
        """Run the handler. A write has its own task: it goes on if its client hangs up, and a stop waits for it."""
        if not call.operation.effect.durable:
            return await handler(self.resources, call)
        call.begun = True
        task = asyncio.create_task(self.throttled(handler, call), name="write")
        self.writes.add(task)
        task.add_done_callback(self.writes.discard)
        change = await asyncio.shield(task)
        call.agent = change.agent or call.agent
        return change

    async def throttled(self, handler: Handler, call: Call) -> Any:
        """Run the write if the caller's limit allows it."""
        write = partial(self.write, handler, call)
        change = await (write() if self.throttle is None else self.throttle.run(call, write))
        # a registration and a rotation have issued a token
        if token := getattr(change.result, "token", None):
            self.tokens[token] = Caller(0, change.agent, hash_token(token))
        return change

    async def write(self, handler: Handler, call: Call) -> Any:
        """Run a handler that writes, in its lane.

        Raises OutcomeUnknown if its connection breaks, because it may have written, and Unavailable without a turn.
        """
        try:
            async with self.lanes.turn(call):
                return await handler(self.resources, call)
        except Exception as error:
            if not is_unavailable(error) or rolled_back(error):
                raise
            log.warning("outcome_unknown", error=type(error).__name__, request_id=ulid(call.request_id))
            raise errors.OutcomeUnknown() from error


def refused(request: AnyRequest, exception: BaseException) -> Exception:
    """Return the board's own error for an exception of Sanic, or the exception itself if it is a fault of the board."""
    if isinstance(exception, NotFound | MethodNotAllowed):
        return no_route(request, exception)
    if not isinstance(exception, SanicException) or exception.status_code >= 500:
        return exception if isinstance(exception, Exception) else RuntimeError(repr(exception))
    if isinstance(exception, PayloadTooLarge):
        return long_head()
    if isinstance(exception, RequestTimeout):
        return bad_head("The request line and headers did not arrive in time.")
    # Sanic replaces what the check of the head raises by an exception of its own
    reason = exception.__context__
    return reason if isinstance(reason, errors.Invalid) else bad_head()


def no_route(request: AnyRequest, exception: SanicException) -> Exception:
    """Return the error for a path or a method that no operation has."""
    try:
        refuse_credential(request.raw_url)
    except errors.CredentialInURL as error:
        return error
    if isinstance(exception, MethodNotAllowed):
        return failures.MethodNotAllowed(allowed_methods(request.app, request.path))
    return errors.NotFound(hint=nearest(request.raw_url.partition(b"?")[0].decode("latin-1")))


def timed_out(call: Call) -> errors.BoardError:
    """Return the error for a call whose answer took too long: a write may have been made once it was begun."""
    if call.begun:
        return errors.OutcomeUnknown("The response took too long; whether the change was made is not known yet.")
    return errors.Unavailable("The response took too long; nothing was changed.")

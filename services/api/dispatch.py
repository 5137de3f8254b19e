"""The one path of every request: find the operation, authenticate, parse, handle, render.

The order of checks is the contract's (decisions 1.1): route, credential, size and media type and fields, then, inside
the transaction, replay, limit, existence and effect. Every error becomes an answer here and nowhere else.
"""

import asyncio
from functools import partial
from time import perf_counter
from typing import Any

import structlog
from sanic.request import Request

from services.board import errors
from services.board.backends import is_away, rolled_back
from services.board.contract.effects import NONE, POST_PUBLIC
from services.board.credentials import refuse_secrets
from services.board.process.instruments import Count
from services.board.process.metrics import RequestMetrics
from services.board.process.request_log import RequestLog
from services.board.tags import tags_of

from .addresses import ClientAddresses
from .auth import Authenticator, has_token, presented
from .board import Board, Call
from .handlers import Handler
from .memory import Made, Memory
from .parsing import (
    check_length,
    check_media_type,
    fingerprint,
    parse_body,
    parse_idempotency_key,
    parse_query,
    receive_body,
)
from .ready import Ready
from .request_id import new_request_id, ulid
from .responses import (
    Answer,
    InternalError,
    add_cors,
    failure,
    has_already,
    not_modified,
    options,
    success,
)
from .routes import UNKNOWN, Routes
from .tail import Tail
from .throttle import Throttle

log = structlog.get_logger()

METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "OPTIONS", "PUT", "DELETE"})


class Dispatch:
    """Answers requests with a board, and accounts for them. Without a throttle the log judges alone."""

    def __init__(
        self,
        board: Board,
        throttle: Throttle | None,
        addresses: ClientAddresses,
        routes: Routes,
        metrics: RequestMetrics,
        mismatches: Count,
        request_log: RequestLog,
        tail: Tail,
        memory: Memory,
    ) -> None:
        self.board = board
        self.throttle = throttle
        self.addresses = addresses
        self.routes = routes
        self.metrics = metrics
        self.mismatches = mismatches
        self.log = request_log
        self.tail = tail
        self.memory = memory
        self.authenticator = Authenticator(board.look_ups, tail, memory)
        self.writes: set[asyncio.Future[Any]] = set()

    async def answer(self, request: Request) -> Answer:
        """Answer one request; never raises but for a cancellation."""
        began = perf_counter()
        call = Call(UNKNOWN, new_request_id())
        self.metrics.in_flight += 1
        try:
            answer = await self.walk(request, call)
        except asyncio.CancelledError:
            self.account(request.method, call, Answer(499, request_id=ulid(call.request_id)), perf_counter() - began)
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller is told and the log says what
            answer = self.failure(error, call)
        finally:
            self.metrics.in_flight -= 1
        self.complete(answer, call)
        self.account(request.method, call, answer, perf_counter() - began)
        return answer

    async def walk(self, request: Request, call: Call) -> Answer:
        """The walk of a request that goes well."""
        check_length(request.stream, request.headers)
        endpoint = self.routes.find(request, call)
        if endpoint.handler is None:
            return options(endpoint.allowed, endpoint.readable)
        if call.operation.limit is not None and call.operation.limit.key == "address":
            call.address = self.address_of(request)
        try:
            if call.operation.effect is POST_PUBLIC:
                return await self.publish(request, call, endpoint.handler)
            return await self.work(request, call, endpoint.handler, endpoint.remembered)
        except (errors.InvalidToken, errors.RevokedToken):
            await self.note_failed_login(request, call)
            raise

    async def work(self, request: Request, call: Call, handler: Handler, remembered: bool) -> Answer:
        """Authenticate, then answer from memory or do what is asked."""
        call.caller = await self.authenticator.authenticate(call, request.headers)
        call.agent = call.caller and call.caller.name
        await self.read(request, call)
        if remembered:
            return await self.remember(request, call, handler)
        self.read_query(request, call)
        answer = self.success(call, await self.handle(handler, call))
        known = has_already(answer, request.headers.getall("if-none-match", []))
        return not_modified(answer) if known else answer

    async def publish(self, request: Request, call: Call, handler: Handler) -> Answer:
        """Publish, and leave it to the publishing transaction to authenticate: a look-up before it would cost as much.

        Only when it has not, because something was refused or was there already, the credential is looked up here: a
        bad one is refused before all else, and the first use of a token is recorded either way.
        """
        call.caller = presented(request.headers)
        if self.throttle is not None and not self.throttle.knows(call.caller.token_hash):
            holder = await self.authenticator.authenticate(call, request.headers)
            assert holder is not None
            self.throttle.learn(holder)
        try:
            await self.read(request, call)
            change = await self.handle(handler, call)
        except (errors.Unavailable, errors.OutcomeUnknown):
            raise
        except errors.BoardError:
            await self.authenticator.authenticate(call, request.headers)
            raise
        if not change.applied:
            await self.authenticator.authenticate(call, request.headers)
        call.agent = change.result.author
        return self.success(call, change)

    async def remember(self, request: Request, call: Call, handler: Handler) -> Answer:
        """Answer a public read from memory, as of now or later; a document depends on nothing and needs no tail."""
        if call.turn is None:
            call.turn = 0 if call.operation.fixed else await self.tail.catch_up()
        ready: Ready | None = self.memory.find(request.raw_url)
        if ready is None:
            self.read_query(request, call)
            known = tags_of(call.operation, call.path, call.query)
            make = partial(self.make_ready, request.raw_url, known, call, handler)
            ready = await self.memory.make(request.raw_url, call.turn, known, make)
        return ready.answer(request.headers.getall("if-none-match", []))

    async def make_ready(self, key: bytes, known: frozenset[str] | None, call: Call, handler: Handler) -> Made:
        """Make an answer to be kept."""
        ready = Ready(self.success(call, await handler(self.board, call)))
        tags = call.tags if known is None else known
        assert tags is not None
        return Made(ready, tags, len(key) + ready.size)

    async def note_failed_login(self, request: Request, call: Call) -> None:
        """Count a bad token against where it came from. Raises Limited, in place of the 401, after too many."""
        if self.throttle is not None and has_token(request.headers):
            call.address = self.address_of(request)
            await self.throttle.note_failed_login(call)

    def address_of(self, request: Request) -> str:
        """The window key of where a request comes from."""
        return self.addresses.key_of(request.ip, request.headers.getall("x-forwarded-for", []))

    def read_query(self, request: Request, call: Call) -> None:
        if call.operation.query is not None:
            call.query = parse_query(call.operation.query, request.query_string)

    def success(self, call: Call, result: Any) -> Answer:
        return success(call.operation, result, call.query, self.board.links)

    async def read(self, request: Request, call: Call) -> None:
        """Read the body and the Idempotency-Key, where the operation has them."""
        operation = call.operation
        body = await receive_body(request.stream)
        if operation.body is not None:
            if body:
                check_media_type(operation, request.headers)
            call.body = parse_body(operation.body, body)
            refuse_secrets(call.body, self.board.secret_guard)
        if operation.idempotency_key:
            call.key = parse_idempotency_key(request.headers.getall("idempotency-key", []))
            call.fingerprint = fingerprint(operation, call.path, call.body) if call.key is not None else None

    async def handle(self, handler: Handler, call: Call) -> Any:
        """Run the handler. A write goes on when its client hangs up, and the drain waits for it."""
        if not call.operation.effect.durable:
            return await handler(self.board, call)
        write = asyncio.ensure_future(self.throttled(handler, call))
        self.writes.add(write)
        write.add_done_callback(self.forget)
        return await asyncio.shield(write)

    async def throttled(self, handler: Handler, call: Call) -> Any:
        """Write as often as the caller may."""
        if self.throttle is None:
            return await self.write(handler, call)
        return await self.throttle.run(call, lambda: self.write(handler, call))

    async def write(self, handler: Handler, call: Call) -> Any:
        """Run a handler that writes: when its connection breaks, nobody knows whether it has written."""
        try:
            return await handler(self.board, call)
        except Exception as error:
            if not is_away(error) or rolled_back(error):
                raise
            log.warning("outcome_unknown", error=type(error).__name__, request_id=ulid(call.request_id))
            raise errors.OutcomeUnknown() from error

    def forget(self, write: "asyncio.Future[Any]") -> None:
        self.writes.discard(write)
        if not write.cancelled():
            write.exception()  # seen: the client that would have been told may have gone

    def failure(self, error: Exception, call: Call) -> Answer:
        """Every error becomes an answer here."""
        if is_away(error):
            log.warning("database_away", error=type(error).__name__, request_id=ulid(call.request_id))
            error = errors.Unavailable()
        elif not isinstance(error, errors.BoardError):
            log.error("internal_error", exc_info=error, request_id=ulid(call.request_id))
            error = InternalError()
        elif isinstance(error, errors.ReceiptMismatch):
            self.mismatches.add()
            log.error("receipt_mismatch", error=str(error), request_id=ulid(call.request_id))
        return failure(error, call.operation, call.request_id, self.board.links)

    def complete(self, answer: Answer, call: Call) -> None:
        """Add what every answer carries."""
        answer.request_id = ulid(call.request_id)
        if call.operation.effect is NONE and not answer.head:
            add_cors(answer)

    def account(self, method: str, call: Call, answer: Answer, seconds: float) -> None:
        name, status = call.operation.name, answer.status
        method = method if method in METHODS else "OTHER"
        self.metrics.observe(name, status, seconds)
        self.log.add(name, method, status, seconds, answer.request_id, call.agent, len(answer.body))

    def refuse(self, request: Request, error: Exception) -> Answer:
        """Answer what never became a call."""
        call = Call(UNKNOWN, new_request_id())
        answer = self.failure(error, call)
        self.complete(answer, call)
        self.account(request.method, call, answer, 0.0)
        return answer

"""The steps that every request takes, in the order of the contract (interface 3.4).

Credential, closed registration, size, media type and fields; then, in the transaction, replay, limit, existence and
effect. The record of an operation shows the steps that it skips: it has no body, no query, no limit, or `checks_token`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from services.api.handlers.call import Call
from services.api.handlers.resources import Resources
from services.api.http.receiving import AnyRequest, wants_page
from services.api.http.responses import Answer, options, success, unless_known
from services.board import errors
from services.board.access.freezes import FreezeInForce
from services.contract.effects import ACCOUNT_CREATE
from services.contract.limits import REFUSED_REGISTRATIONS
from services.contract.operation import PRIVATE_CACHE

from .auth import Authenticator, has_rescue_key
from .cached_reads import CachedReads
from .inputs import Urls, read_body
from .routes import Endpoint
from .writes import Writes


@dataclass(eq=False, kw_only=True)
class Steps:
    """Answers calls. The change feed follows `registration_is_open`, whether agents can register, and `freeze`."""

    resources: Resources
    authenticator: Authenticator
    reads: CachedReads
    writes: Writes
    registration_is_open: Callable[[], bool]
    freeze: FreezeInForce
    urls: Urls = field(default_factory=Urls)

    async def walk(self, request: AnyRequest, call: Call, endpoint: Endpoint, path: dict[str, str]) -> Answer:
        """Take a request through all steps. Raises the error of the first step that fails."""
        if endpoint.otherwise is not None and not wants_page(request):
            endpoint = endpoint.otherwise
        call.operation = endpoint.operation
        self.urls.read_path(request, call, endpoint, path)
        if endpoint.handler is None:
            await read_body(request, call, self.resources.secret_guard)
            return options(endpoint.allowed, endpoint.readable)
        try:
            return await self.take(request, call, endpoint)
        except errors.BoardError as refusal:
            await self.note(refusal, request, call)
            raise

    async def take(self, request: AnyRequest, call: Call, endpoint: Endpoint) -> Answer:
        """Take the steps of an operation. A bad token takes precedence over any later refusal."""
        await self.authenticator.identify(request, call)
        try:
            await self.admit(request, call)
            await self.read_inputs(request, call)
            return await self.answer(request, call, endpoint)
        except (errors.Unavailable, errors.OutcomeUnknown):
            raise
        except errors.BoardError:
            if call.operation.checks_token:
                await self.authenticator.verify(request, call)
            raise

    async def admit(self, request: AnyRequest, call: Call) -> None:
        """Raise RegistrationClosed while it is, on all replicas, unless the call may be a rescue: then note that.

        Raises Frozen instead while writes are: that refusal comes first.
        """
        if call.operation.effect is not ACCOUNT_CREATE:
            return
        if call.feed_read is None:
            call.feed_read = await self.reads.feed.catch_up()
        if not self.registration_is_open():
            call.closed = errors.RegistrationClosed() if self.freeze.freeze is None else errors.Frozen()
            if not has_rescue_key(request.headers):
                raise call.closed

    async def read_inputs(self, request: AnyRequest, call: Call) -> None:
        """Read the body and the query. Raises the error of the first one that is wrong."""
        try:
            await read_body(request, call, self.resources.secret_guard)
            self.urls.read_query(request, call)
        except errors.BoardError as wrong:
            raise call.closed or wrong from None

    async def answer(self, request: AnyRequest, call: Call, endpoint: Endpoint) -> Answer:
        """Answer from memory, or run the handler."""
        handler = endpoint.handler
        assert handler is not None
        if endpoint.remembered and not is_own(call):
            return await self.reads.read(request.headers, call, handler)
        run = self.writes.run(handler, call) if call.operation.effect.durable else handler(self.resources, call)
        answer = success(call.operation, await run, call.query, self.resources.links)
        if endpoint.remembered:
            answer.headers["Cache-Control"] = PRIVATE_CACHE
        return unless_known(answer, request.headers.getall("if-none-match", []))

    async def note(self, refusal: errors.BoardError, request: AnyRequest, call: Call) -> None:
        """Count a refusal against the caller's address if it may be a guess, and name the freeze that refused."""
        if errors.is_bad_token(refusal):
            await self.authenticator.note_failure(request, call)
        elif isinstance(refusal, errors.Frozen):
            await self.reads.feed.catch_up()
            refusal.freeze = self.freeze.freeze
        elif isinstance(refusal, errors.NameTaken | errors.RegistrationClosed | errors.RegistrationsLimited):
            # without a key that was looked up, a closed registration was refused before it cost anything
            counts = call.key is not None or not isinstance(refusal, errors.RegistrationClosed)
            if counts and self.authenticator.throttle is not None:
                await self.authenticator.throttle.note_refusal(call, REFUSED_REGISTRATIONS)


def is_own(call: Call) -> bool:
    """Whether an answer has what is the caller's own, of which not all changes reach the memory."""
    return getattr(call.query, "include", None) is not None

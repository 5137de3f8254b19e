"""Identifies the caller by `Authorization` and nothing else (interface 4.4)."""

import asyncio
from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from functools import partial
from typing import Any, Final

import asyncpg
from prometheus_client import Counter

from services.api.cache.change_feed import ChangeFeed
from services.api.cache.tokens import Tokens
from services.api.handlers.call import Call
from services.api.http.addresses import ClientAddresses
from services.api.http.parsing import bearer_token, parse_idempotency_key
from services.api.http.receiving import AnyRequest
from services.board.access.tokens import Caller, find_caller, find_holders, hash_key, hash_token, is_token
from services.board.database.connections import Database
from services.board.database.failures import concerns_all
from services.board.errors import BoardError, InvalidToken, MissingToken, RevokedToken
from services.contract.effects import ACCOUNT_CREATE, CREDENTIAL_ROTATE
from services.contract.limits import FAILED_LOGINS
from services.process.metrics import Registry
from services.process.queue import Queue

from .throttle import Throttle

LOOK_UP_SECONDS: Final = 8.0


@dataclass(eq=False, kw_only=True)
class Authenticator:
    """Finds callers among the known tokens or in `database`, which may write: the first use of a token is recorded.

    A token works until its agent's next rotation or suspension: once that was answered, no process accepts it. All
    calls that wait share the next look-up, never one that began before they came. Without a `throttle`, guesses are
    not limited.
    """

    database: Database
    feed: ChangeFeed
    tokens: Tokens
    throttle: Throttle | None
    addresses: ClientAddresses
    registry: InitVar[Registry]

    def __post_init__(self, registry: Registry) -> None:
        self.look_ups: Queue[bytes, asyncpg.Record | None] = Queue(
            "token-look-up", self.find_together, is_shared=concerns_all
        )
        self.looked_up = Counter(
            "agent_board_token_look_ups_total", "Tokens looked up in the database.", registry=registry
        )

    async def identify(self, request: AnyRequest, call: Call) -> None:
        """Note who calls. Raises as `authenticate`.

        If the operation's own statement checks the token, a holder that is known is not verified here, unless it has no
        id: then the first use of its token is not recorded yet.
        """
        if call.operation.limit is not None and call.operation.limit.key == "address":
            call.address = self.addresses.address_of(request)
        token = bearer_token(request.headers) if call.operation.checks_token else None
        holder = None if token is None else self.tokens.get(token)
        if holder is None or not holder.id:
            holder = await self.authenticate(request, call)
        call.caller, call.agent = holder, (holder and holder.name) or None

    async def verify(self, request: AnyRequest, call: Call) -> None:
        """Look up the credential of a call that was refused, and note whose it is. Raises as `authenticate`."""
        call.agent = None
        caller = await self.authenticate(request, call)
        call.agent = None if caller is None else caller.name

    async def authenticate(self, request: AnyRequest, call: Call) -> Caller | None:
        """Return the caller, or None on a public operation without a credential.

        A bad credential is refused on public operations too; registration ignores it. A rotation with an
        Idempotency-Key passes with a replaced token: its transaction decides about the rescue (interface 4.3). Raises
        Limited before the look-up of an unknown token if the client's address has sent too many bad ones.
        """
        effect = call.operation.effect
        if effect is ACCOUNT_CREATE:
            return None
        token = bearer_token(request.headers)
        if token is None:
            if effect.needs_token:
                raise MissingToken()
            return None
        find = partial(self.find, call, token)
        try:
            if self.throttle is None or token in self.tokens or not self.throttle.guessing or not is_token(token):
                return await find()
            call.address = self.addresses.address_of(request)
            return await self.throttle.run_guess(call, find)
        except RevokedToken as refusal:
            rescuable = refusal.suspension is None and effect is CREDENTIAL_ROTATE
            if rescuable and has_rescue_key(request.headers):
                return unknown_holder(token)
            raise

    async def find(self, call: Call, token: str) -> Caller:
        """Return the holder of a token that works. Raises InvalidToken, RevokedToken, TimeoutError."""
        # a known token may have ended since, and every answer to its holder shows the rates of now
        if call.feed_read is None:
            call.feed_read = await self.feed.catch_up()
        return self.tokens.caller(token) or await self.look_up(token)

    async def look_up(self, token: str) -> Caller:
        """Return the holder of a token from the database, and note that it works. Raises the same errors."""
        self.looked_up.inc()
        changes = self.tokens.changes
        caller = await find_caller(self.find_holder, self.database, token)
        self.tokens.confirm(token, caller, changes)
        return caller

    async def find_holder(self, token_hash: bytes) -> asyncpg.Record | None:
        """Return the agent that holds a token now. Raises TimeoutError after 8 s, whatever another look-up takes."""
        async with asyncio.timeout(LOOK_UP_SECONDS):
            return await self.look_ups.submit(token_hash)

    async def find_together(self, hashes: Sequence[bytes]) -> list[asyncpg.Record | None]:
        holders = await find_holders(self.database, hashes)
        return [holders.get(token_hash) for token_hash in hashes]

    async def note_failure(self, request: AnyRequest, call: Call) -> None:
        """Count a bad token against the client's address. Raises Limited instead of the 401 after too many."""
        token = possible_token(request.headers)
        if token is None:
            return
        self.tokens.pop(token, None)
        if self.throttle is not None:
            call.address = self.addresses.address_of(request)
            await self.throttle.note_refusal(call, FAILED_LOGINS)


def possible_token(headers: Any) -> str | None:
    """Return the token that was sent, whoever holds it: anything else is a mistake rather than a guess."""
    try:
        token = bearer_token(headers)
    except BoardError:
        return None
    return token if token is not None and is_token(token) else None


def has_rescue_key(headers: Any) -> bool:
    """Return whether an Idempotency-Key was sent that can rescue a token (interface 4.2, 4.3)."""
    try:
        return hash_key(parse_idempotency_key(headers.getall("idempotency-key", []))) is not None
    except BoardError:
        return False


def unknown_holder(token: str) -> Caller:
    """Return the caller of a well-formed token. Raises InvalidToken for any other text."""
    if not is_token(token):
        raise InvalidToken()
    return Caller(0, "", hash_token(token))

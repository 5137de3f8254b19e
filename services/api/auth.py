"""Identifies the caller by `Authorization` and nothing else (interface 4.4).

It parses the header itself: Sanic's `request.token` finds a scheme anywhere in the value.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

import asyncpg

from services.api.cache.feed import ChangeFeed
from services.api.cache.tokens import Tokens
from services.api.http.parsing import parse_idempotency_key
from services.board.database.connections import Database
from services.board.errors import BoardError, Invalid, InvalidToken, MissingToken, RevokedToken
from services.board.tokens import Caller, find_caller, find_holders, hash_key, hash_token, is_token
from services.contract.answers import FieldError
from services.contract.effects import ACCOUNT_CREATE, CREDENTIAL_ROTATE
from services.process.batcher import Batcher

from .call import Call

LOOK_UP_SECONDS: Final = 8.0
BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)
SCHEME = re.compile(r"bearer(?:\s|$)", re.IGNORECASE)
NO_SCHEME = "The scheme Bearer is missing in Authorization."
SEND_SCHEME = "Send Authorization: Bearer, then a space and the token."


class Authenticator:
    """Finds callers among the known tokens or in `database`, which may write: the first use of a token is recorded.

    A token is known until its agent's next rotation or suspension: once that was answered, no process accepts it. All
    calls that wait share the next look-up, never one that began before they came.
    """

    def __init__(self, database: Database, feed: ChangeFeed, tokens: Tokens) -> None:
        self.database = database
        self.feed = feed
        self.tokens = tokens
        self.look_ups: Batcher[bytes, asyncpg.Record | None] = Batcher("token-look-up", self.find_together)

    async def authenticate(self, call: Call, headers: Any) -> Caller | None:
        """Return the caller, or None on a public operation without a credential.

        A bad credential is refused on public operations too; registration ignores it. A rotation with an
        Idempotency-Key goes on with a revoked token: its transaction decides about the rescue (interface 4.3).
        """
        operation = call.operation
        if operation.effect is ACCOUNT_CREATE:
            return None
        token = bearer_token(headers)
        if token is None:
            if operation.effect.needs_token:
                raise MissingToken()
            return None
        if call.feed_read is None and token in self.tokens:
            call.feed_read = await self.feed.catch_up()
        try:
            return self.tokens.caller(token) or await self.look_up(token)
        except RevokedToken:
            if operation.effect is CREDENTIAL_ROTATE and has_rescue_key(headers):
                return unknown_holder(token)
            raise

    async def look_up(self, token: str) -> Caller:
        """Find the holder of a token, and note that it works. Raises InvalidToken, RevokedToken, TimeoutError."""
        changes = self.tokens.changes
        caller = await find_caller(self.find_holder, self.database, token)
        self.tokens.confirm(token, caller, changes)
        return caller

    async def find_holder(self, token_hash: bytes) -> asyncpg.Record | None:
        """Return the agent that holds a token now. Raises TimeoutError after 8 s, whatever another look-up takes."""
        return await self.look_ups.submit(token_hash, LOOK_UP_SECONDS)

    async def find_together(self, hashes: Sequence[bytes]) -> list[asyncpg.Record | None]:
        holders = await find_holders(self.database, hashes)
        return [holders.get(token_hash) for token_hash in hashes]

    def presented(self, headers: Any) -> Caller:
        """Return the unverified caller, for calls whose own transaction verifies the token; named if it is known.

        Raises MissingToken, InvalidToken.
        """
        token = bearer_token(headers)
        if token is None:
            raise MissingToken()
        return self.tokens.get(token) or unknown_holder(token)

    def is_guess(self, headers: Any) -> bool:
        """Return whether a token was sent that this process has neither issued nor seen to work."""
        token = possible_token(headers)
        return token is not None and token not in self.tokens


def possible_token(headers: Any) -> str | None:
    """Return the token that was sent, whoever holds it: anything else is a mistake rather than a guess."""
    try:
        token = bearer_token(headers)
    except BoardError:
        return None
    return token if token is not None and is_token(token) else None


def has_rescue_key(headers: Any) -> bool:
    """Whether an Idempotency-Key was sent that can rescue a token."""
    try:
        return hash_key(parse_idempotency_key(headers.getall("idempotency-key", []))) is not None
    except BoardError:
        return False


def unknown_holder(token: str) -> Caller:
    """Return the caller that a well-formed token stands for. Raises InvalidToken for any other text."""
    if not is_token(token):
        raise InvalidToken()
    return Caller(0, "", hash_token(token))


def bearer_token(headers: Any) -> str | None:
    """The token of the one `Authorization` header; None without one."""
    values = headers.getall("authorization", [])
    if not values:
        return None
    if len(values) > 1:
        detail = "Authorization was sent more than once."
        raise Invalid([FieldError(None, "Authorization", "too_many", detail, 1, len(values))])
    value = values[0].strip(" \t")
    match = BEARER.fullmatch(value)
    if match is None:
        raise InvalidToken() if SCHEME.match(value) else InvalidToken(NO_SCHEME, SEND_SCHEME)
    return match[1]

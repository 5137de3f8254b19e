"""Identifies the caller by `Authorization` and nothing else (interface 4.4).

It parses the header itself: Sanic's `request.token` finds a scheme anywhere in the value.
"""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Final

import asyncpg

from services.api.cache.feed import ChangeFeed
from services.api.cache.memory import Memory
from services.api.cache.shelf import Entry
from services.api.cache.tags import tag_of_token
from services.api.http.parsing import parse_idempotency_key
from services.board.database.connections import Database
from services.board.errors import BoardError, Invalid, InvalidToken, MissingToken, RevokedToken
from services.board.tokens import Caller, find_caller, find_holders, hash_key, hash_token, is_token
from services.contract.answers import FieldError
from services.contract.effects import ACCOUNT_CREATE, CREDENTIAL_ROTATE
from services.process.batcher import Batcher

from .call import Call

LOOK_UP_SECONDS: Final = 8.0
TOKENS_MAX: Final = 10_000
BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)
SCHEME = re.compile(r"bearer(?:\s|$)", re.IGNORECASE)
NO_SCHEME = "The scheme Bearer is missing in Authorization."
SEND_SCHEME = "Send Authorization: Bearer, then a space and the token."


class Authenticator:
    """Finds callers, in memory or in `database`, which may write: the first use of a token is recorded.

    A token is known until its agent's next rotation or suspension: once that was answered, no process accepts it. All
    calls that wait share the next look-up, never one that began before they came.
    """

    def __init__(self, database: Database, feed: ChangeFeed, memory: Memory) -> None:
        self.database = database
        self.feed = feed
        self.memory = memory
        self.look_ups: Batcher[bytes, asyncpg.Record | None] = Batcher("token-look-up", self.find_together)

    async def authenticate(self, call: Call, headers: Any) -> Caller | None:
        """The caller, or None on a public operation without a credential.

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
        if not is_token(token):
            raise InvalidToken()
        if call.feed_read is None:
            call.feed_read = await self.feed.catch_up()
        try:
            known: Caller | None = self.memory.find(token)
            return known or await self.memory.build(token, call.feed_read, None, partial(self.look_up, token))
        except RevokedToken:
            if operation.effect is CREDENTIAL_ROTATE and has_rescue_key(headers):
                return unknown_holder(token)
            raise

    async def look_up(self, token: str) -> Entry:
        """The holder of a token, cached until it is rotated or suspended."""
        caller = await find_caller(self.find_holder, self.database, token)
        size = len(token) + len(caller.name) + len(caller.token_hash)
        return Entry(caller, frozenset((tag_of_token(caller.id),)), size)

    async def find_holder(self, token_hash: bytes) -> asyncpg.Record | None:
        """The agent that holds a token now. Raises TimeoutError after 8 s, however long another look-up takes."""
        return await self.look_ups.submit(token_hash, LOOK_UP_SECONDS)

    async def find_unverified(self, token_hash: bytes) -> Caller | None:
        """The holder of a token, for calls whose own transaction verifies it; None if there seems to be none.

        It has an id if the token's first use is recorded. Raises TimeoutError.
        """
        holder = await self.find_holder(token_hash)
        if holder is None or holder["suspended"]:
            return None
        return Caller(holder["id"] if holder["token_used"] else 0, holder["name"], token_hash)

    async def find_together(self, hashes: Sequence[bytes]) -> list[asyncpg.Record | None]:
        holders = await find_holders(self.database, hashes)
        return [holders.get(token_hash) for token_hash in hashes]


def has_token(headers: Any) -> bool:
    """Whether a token was sent, whoever holds it: anything else is a mistake rather than a guess."""
    try:
        return (token := bearer_token(headers)) is not None and is_token(token)
    except BoardError:
        return False


def presented(headers: Any) -> Caller:
    """The unverified caller, for calls that check the token in their own transaction."""
    token = bearer_token(headers)
    if token is None:
        raise MissingToken()
    return unknown_holder(token)


def has_rescue_key(headers: Any) -> bool:
    """Whether an Idempotency-Key was sent that can rescue a token."""
    try:
        return hash_key(parse_idempotency_key(headers.getall("idempotency-key", []))) is not None
    except BoardError:
        return False


@lru_cache(TOKENS_MAX)
def unknown_holder(token: str) -> Caller:
    """The caller that a well-formed token stands for. Raises InvalidToken for any other text."""
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

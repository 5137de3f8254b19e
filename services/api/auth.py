"""Who calls: reads `Authorization` and nothing else (decisions 1.3, 2.9).

It parses the header itself: Sanic's `request.token` finds a scheme anywhere in the value.
"""

import asyncio
import re
from functools import partial
from typing import Any

import asyncpg

from services.board.contract.effects import ACCOUNT_CREATE, CREDENTIAL_ROTATE
from services.board.contract.schemas import FieldError
from services.board.errors import BoardError, Invalid, InvalidToken, MissingToken, RevokedToken
from services.board.tags import tag_of_token
from services.board.tokens import Caller, Database, find_caller, find_holders, hash_token, is_token

from .board import Call
from .memory import Made, Memory
from .parsing import parse_idempotency_key
from .tail import Tail

BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)


class Authenticator:
    """Finds callers, in memory or in `database`, which may write: the first use of a token is recorded.

    A token is known until its agent's next rotation or suspension: once that was answered, no process accepts it. All
    calls that wait share the next look-up, never one that began before they came.
    """

    def __init__(self, database: Database, tail: Tail, memory: Memory) -> None:
        self.database = database
        self.tail = tail
        self.memory = memory
        self.waiting: list[tuple[bytes, asyncio.Future[asyncpg.Record | None]]] = []
        self.task: asyncio.Task[None] | None = None

    async def authenticate(self, call: Call, headers: Any) -> Caller | None:
        """The caller, or None on a public operation without a credential.

        A bad credential is refused on public operations too; registration ignores it. A rotation with an
        Idempotency-Key goes on with a revoked token: its rescue (decisions 1.3) is judged in its transaction.
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
        call.turn = await self.tail.catch_up()
        try:
            known: Caller | None = self.memory.find(token)
            return known or await self.memory.make(token, call.turn, None, partial(self.look_up, token))
        except RevokedToken:
            if operation.effect is CREDENTIAL_ROTATE and has_key(headers):
                return unknown_holder(token)
            raise

    async def look_up(self, token: str) -> Made:
        """Who holds a token, until it is rotated or suspended."""
        caller = await find_caller(self.find_holder, self.database, token)
        size = len(token) + len(caller.name) + len(caller.token_hash)
        return Made(caller, frozenset((tag_of_token(caller.id),)), size)

    async def find_holder(self, token_hash: bytes) -> asyncpg.Record | None:
        """The agent that holds a token now."""
        future: asyncio.Future[asyncpg.Record | None] = asyncio.get_running_loop().create_future()
        self.waiting.append((token_hash, future))
        if self.task is None:
            self.task = asyncio.create_task(self.find_waiting(), name="token-look-up")
        return await future

    async def find_waiting(self) -> None:
        """Answer all who wait, one query after another, until nobody does. Each has a future of its own."""
        while self.waiting:
            waiting, self.waiting = self.waiting, []
            try:
                holders = await find_holders(self.database, [token_hash for token_hash, _ in waiting])
            except Exception as error:  # noqa: BLE001 - it is each waiter's to handle
                for _, future in waiting:
                    if not future.done():
                        future.set_exception(error)
            else:
                for token_hash, future in waiting:
                    if not future.done():
                        future.set_result(holders.get(token_hash))
        self.task = None


def has_token(headers: Any) -> bool:
    """Whether what was sent is a token, whoever holds it: something else is a mistake rather than a guess."""
    try:
        return (token := bearer_token(headers)) is not None and is_token(token)
    except BoardError:
        return False


def presented(headers: Any) -> Caller:
    """Who claims to call, before anybody has looked: for calls whose own transaction finds out."""
    token = bearer_token(headers)
    if token is None:
        raise MissingToken()
    if not is_token(token):
        raise InvalidToken()
    return unknown_holder(token)


def has_key(headers: Any) -> bool:
    """Whether an Idempotency-Key was sent that can be one."""
    try:
        return parse_idempotency_key(headers.getall("idempotency-key", [])) is not None
    except BoardError:
        return False


def unknown_holder(token: str) -> Caller:
    return Caller(0, "", hash_token(token))


def bearer_token(headers: Any) -> str | None:
    """The token of the one `Authorization` header; None without one."""
    values = headers.getall("authorization", [])
    if not values:
        return None
    if len(values) > 1:
        detail = "Authorization was sent more than once."
        raise Invalid([FieldError(None, "Authorization", "too_many", detail, 1, len(values))])
    match = BEARER.fullmatch(values[0].strip())
    if match is None:
        raise InvalidToken()
    return match[1]

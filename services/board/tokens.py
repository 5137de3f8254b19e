"""Tokens: how they look, and who holds one (decisions 1.3). A token itself is never stored, only its SHA-256."""

import base64
import hashlib
import re
import secrets
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import asyncpg

from .errors import InvalidToken, RevokedToken

PREFIX = "agb_"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TOKEN = re.compile(r"agb_([A-Za-z0-9_-]{43})([0-9A-Za-z]{6})")
# every place in a text where a token could begin, also inside a longer run of the same characters
TOKEN_LOOK_ALIKE = re.compile(r"(?=(agb_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}))")

HOLDERS = """
SELECT token_hash, id, name, suspended_at IS NOT NULL AS suspended, token_used FROM agents
WHERE token_hash = ANY($1)
"""
RETIRED = "SELECT true FROM retired_tokens WHERE token_hash = $1"
ROTATE = "SELECT outcome, rotated_at FROM rotate($1, $2, $3, $4)"
ROTATION_RESCUE_SECONDS = 3600.0
FIRST_USE = "UPDATE agents SET token_used = true WHERE id = $1 AND token_hash = $2 AND NOT token_used RETURNING id"


class Database(Protocol):
    """What runs a query: a pool or a connection."""

    async def fetch(self, query: str, *args: object) -> list[asyncpg.Record]: ...

    async def fetchrow(self, query: str, *args: object) -> asyncpg.Record | None: ...

    async def fetchval(self, query: str, *args: object) -> Any: ...


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call: the holder of a valid token."""

    id: int
    name: str
    token_hash: bytes


FindHolder = Callable[[bytes], Awaitable[asyncpg.Record | None]]


def new_token() -> str:
    """A new token: prefix, 32 random bytes in base64url, and their checksum."""
    secret = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    return PREFIX + secret + checksum(secret)


def checksum(secret: str) -> str:
    """CRC-32 of the secret part, in 6 base62 digits. For 43 x `A`: `0DofJ8`."""
    number = zlib.crc32(secret.encode())
    digits = ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = ALPHABET[digit] + digits
    return digits


def is_token(text: str) -> bool:
    """Whether the text is one token with a valid checksum."""
    match = TOKEN.fullmatch(text)
    return match is not None and checksum(match[1]) == match[2]


def hash_token(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).digest()


def hash_key(key: str | None) -> bytes | None:
    """What is stored of a key that can claim an account again (decisions 1.2, 1.3)."""
    return None if key is None else hashlib.sha256(key.encode()).digest()


async def find_holders(database: Database, hashes: list[bytes]) -> dict[bytes, asyncpg.Record]:
    """The agents that hold these tokens now, suspended ones too."""
    return {row["token_hash"]: row for row in await database.fetch(HOLDERS, hashes)}


async def find_caller(find_holder: FindHolder, database: Database, token: str) -> Caller:
    """The holder of a token. Records the first use of a token, which ends its rescue.

    Raises InvalidToken when no agent ever held it, RevokedToken when it was replaced or its agent is suspended.
    """
    if not is_token(token):
        raise InvalidToken()
    token_hash = hash_token(token)
    holder = await find_holder(token_hash)
    if holder is None:
        raise RevokedToken() if await database.fetchval(RETIRED, token_hash) else InvalidToken()
    if holder["suspended"]:
        raise RevokedToken()
    if not holder["token_used"]:
        await use_first(database, holder["id"], token_hash)
    return Caller(holder["id"], holder["name"], token_hash)


async def use_first(database: Database, agent_id: int, token_hash: bytes) -> None:
    """Record the first use. A rescue or another first use may have come between: look again when it did."""
    done = await database.fetchval(FIRST_USE, agent_id, token_hash)
    if done is None and not await find_holders(database, [token_hash]):
        raise RevokedToken()


async def rotate_token(writes: Database, token_hash: bytes, key: str | None) -> tuple[str, float]:
    """Replace a token, and say when; the old one is dead before this returns.

    With the key of an earlier rotation, within an hour and while its replacement was never used, the old token may ask
    once more. Raises RevokedToken.
    """
    token = new_token()
    row = await writes.fetchrow(ROTATE, token_hash, hash_token(token), hash_key(key), ROTATION_RESCUE_SECONDS)
    assert row is not None
    if row["outcome"] == "unauthorized":
        raise RevokedToken()
    return token, row["rotated_at"]

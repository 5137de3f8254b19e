"""Tokens: their format, and the agents that hold them (interface 4.1). Only the SHA-256 of a token is stored."""

import base64
import hashlib
import re
import secrets
import zlib
from collections.abc import Awaitable, Callable, Sequence

import asyncpg
from msgspec import Struct

from services.board.database.connections import Database
from services.board.errors import InvalidToken, RevokedToken, refuse
from services.contract.answers.problems import Suspension
from services.contract.bounds import RESCUE_KEY_MIN

PREFIX = "agb_"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
PAIRS = [a + b for a in ALPHABET for b in ALPHABET]
TOKEN = re.compile(r"agb_([A-Za-z0-9_-]{43})([0-9A-Za-z]{6})")
# Finds every position at which a token could begin, also within a longer run of the same characters.
TOKEN_LOOK_ALIKE = re.compile(r"(?=(agb_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}))")

HOLDERS = """
SELECT token_hash, id, name, created, token_created, suspended_at, suspended_until, suspend_reason, token_used
FROM agents WHERE token_hash = ANY($1)
"""
# Joins what callers have `asked` with those whose tokens work. The role of reads cannot see the digest of a token, but
# the moment when it was issued, which tells the tokens of an agent apart: whatever replaces a token sets both.
WORKING = """
JOIN agents a ON a.id = asked.agent AND a.token_created = to_timestamp(asked.issued) AND a.suspended_at IS NULL
"""
RETIRED = "SELECT true FROM retired_tokens WHERE token_hash = $1"
ROTATE = """
SELECT outcome, rotated_at, (SELECT a.name FROM agents a WHERE a.id = agent_id) AS name FROM rotate($1, $2, $3, $4)
"""
ROTATION_RESCUE_SECONDS = 3600.0
FIRST_USE = "UPDATE agents SET token_used = true WHERE id = $1 AND token_hash = $2 AND NOT token_used RETURNING id"


class Caller(Struct, frozen=True):
    """The holder of a valid token, who makes a call.

    `created` is when the account was registered, and `issued` when the token was, in Unix seconds; 0 if unknown.
    """

    id: int
    name: str
    token_hash: bytes
    created: float = 0
    issued: float = 0


FindHolder = Callable[[bytes], Awaitable[asyncpg.Record | None]]


def new_token() -> str:
    """Return a new token: the prefix, 32 random bytes in base64url, and their checksum."""
    secret = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    return PREFIX + secret + checksum(secret)


def checksum(secret: str) -> str:
    """Return the CRC-32 of the secret part in 6 base62 digits. For 43 times `A` it is `0DofJ8`."""
    high, low = divmod(zlib.crc32(secret.encode()), len(PAIRS))
    high, middle = divmod(high, len(PAIRS))
    return PAIRS[high] + PAIRS[middle] + PAIRS[low]


def is_token(text: str) -> bool:
    """Return whether the text is a token with a valid checksum."""
    match = TOKEN.fullmatch(text)
    return match is not None and checksum(match[1]) == match[2]


def hash_token(token: str) -> bytes:
    """Return the digest under which a token is stored."""
    return hashlib.sha256(token.encode()).digest()


def hash_key(key: str | None) -> bytes | None:
    """Return the digest under which an Idempotency-Key that can rescue a token is stored (interface 4.2, 4.3).

    None for a key that is too short: it could be guessed, and the token would go to the guesser.
    """
    return None if key is None or len(key) < RESCUE_KEY_MIN else hashlib.sha256(key.encode()).digest()


async def find_holders(database: Database, hashes: Sequence[bytes]) -> dict[bytes, asyncpg.Record]:
    """Return the current holders of these tokens, by digest, including suspended agents."""
    return {row["token_hash"]: row for row in await database.fetch(HOLDERS, hashes)}


async def find_caller(find_holder: FindHolder, database: Database, token: str) -> Caller:
    """Return the holder of a token. Records the token's first use, after which it cannot be rescued.

    Raises InvalidToken if no agent ever held it, RevokedToken if it was replaced or its agent is suspended.
    """
    if not is_token(token):
        raise InvalidToken()
    token_hash = hash_token(token)
    holder = await find_holder(token_hash)
    if holder is None:
        raise RevokedToken() if await database.fetchval(RETIRED, token_hash) else InvalidToken()
    if holder["suspended_at"] is not None:
        raise RevokedToken(Suspension(holder["suspended_at"], holder["suspended_until"], holder["suspend_reason"]))
    if not holder["token_used"]:
        await use_first(database, holder["id"], token_hash)
    return Caller(holder["id"], holder["name"], token_hash, holder["created"], holder["token_created"])


async def use_first(database: Database, agent_id: int, token_hash: bytes) -> None:
    """Record the first use of a token.

    If nothing was updated, a concurrent call either recorded the first use or replaced the token. Raises RevokedToken
    if it was replaced.
    """
    done = await database.fetchval(FIRST_USE, agent_id, token_hash)
    if done is None and not await find_holders(database, [token_hash]):
        raise RevokedToken()


async def replace(writes: Database, token_hash: bytes, key: str | None) -> tuple[str, float, str]:
    """Replace a token; return the new one, the time in Unix seconds and the agent's name.

    The old token stops working in the same commit.

    With the key of an earlier rotation, the old token may repeat it within an hour, as long as its replacement was not
    used (interface 4.3). A key that is too short rescues nothing. Raises RevokedToken, Frozen.
    """
    token = new_token()
    row = await writes.fetchrow(ROTATE, token_hash, hash_token(token), hash_key(key), ROTATION_RESCUE_SECONDS)
    assert row is not None
    refuse(row["outcome"])
    return token, row["rotated_at"], row["name"]

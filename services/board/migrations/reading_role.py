"""The role of READ_DATABASE_URL: it can read what the board answers with, and can neither write nor see a secret."""

import base64
import hashlib
import hmac
import secrets
from urllib.parse import unquote, urlsplit

import asyncpg

from ..errors import Unavailable

ROUNDS = 4096  # PostgreSQL's own


async def grant_reading(connection: asyncpg.Connection, read_url: str) -> str | None:
    """Make or update the role that a URL names, and give it its rights; returns its name.

    None when the URL names the connection's own role, or none. Raises Unavailable when the role is missing and may not
    be made here.
    """
    parts = urlsplit(read_url)
    name, password = unquote(parts.username or ""), unquote(parts.password or "")
    if name in ("", await connection.fetchval("SELECT current_user")):
        return None
    exists = await connection.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", name)
    try:
        async with connection.transaction():
            await connection.execute(await role_statement(connection, exists, name, password))
    except asyncpg.InsufficientPrivilegeError:
        # who may not touch roles may still give rights to one that somebody else has made
        if not exists:
            raise Unavailable(
                f"The role {name} of READ_DATABASE_URL does not exist, and may not be made here."
            ) from None
    async with connection.transaction():
        await connection.execute("SELECT grant_reading($1)", name)
    return name


async def role_statement(connection: asyncpg.Connection, exists: bool, name: str, password: str) -> str:
    """The statement that makes or updates the role. The password itself stays here: servers log failures."""
    template = f"{'ALTER' if exists else 'CREATE'} ROLE %I LOGIN PASSWORD %L"
    statement: str = await connection.fetchval(
        "SELECT format($1, $2::text, $3::text)", template, name, verifier(password)
    )
    return statement


def verifier(password: str) -> str:
    """What PostgreSQL stores of a password (RFC 5803)."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    salt_text, stored_text, server_text = (base64.b64encode(part).decode() for part in (salt, stored, server))
    return f"SCRAM-SHA-256${ROUNDS}:{salt_text}${stored_text}:{server_text}"

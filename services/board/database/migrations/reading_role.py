"""The role of READ_DATABASE_URL, which can read public data but neither write nor read secrets."""

import base64
import hashlib
import hmac
import secrets
from urllib.parse import unquote, urlsplit

import asyncpg

from services.board.errors import Unavailable

ROUNDS = 4096  # PostgreSQL's default


async def grant_reading(connection: asyncpg.Connection, read_url: str) -> str | None:
    """Create or update the role named in a URL and grant its rights; return its name.

    Returns None if the URL names the connection's own role, or none. Raises Unavailable if the role does not exist and
    the connection has no right to create it.
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
        # Without the right to create roles, rights can still be granted to a role that exists.
        if not exists:
            raise Unavailable(
                f"The role {name} of READ_DATABASE_URL does not exist, and the role of DATABASE_URL cannot create it."
            ) from None
    async with connection.transaction():
        await connection.execute("SELECT grant_reading($1)", name)
    return name


async def role_statement(connection: asyncpg.Connection, exists: bool, name: str, password: str) -> str:
    """Return the statement that creates or updates the role.

    It contains a verifier instead of the password, because servers log failed statements.
    """
    template = f"{'ALTER' if exists else 'CREATE'} ROLE %I LOGIN PASSWORD %L"
    statement: str = await connection.fetchval(
        "SELECT format($1, $2::text, $3::text)", template, name, verifier(password)
    )
    return statement


def verifier(password: str) -> str:
    """Return the SCRAM-SHA-256 verifier that PostgreSQL stores for a password (RFC 5803)."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    salt_text, stored_text, server_text = (base64.b64encode(part).decode() for part in (salt, stored, server))
    return f"SCRAM-SHA-256${ROUNDS}:{salt_text}${stored_text}:{server_text}"

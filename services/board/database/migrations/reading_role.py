"""The role of READ_DATABASE_URL, which can read public data but neither write nor read secrets."""

import base64
import hashlib
import hmac
import secrets
from urllib.parse import unquote, urlsplit, urlunsplit

import asyncpg

from services.board.database.backends import backend_of
from services.board.database.connections import direct_connection
from services.board.errors import Unavailable

ROUNDS = 4096  # PostgreSQL's default
AS_MIGRATION = {"application_name": "agent-board migrate"}


# Whether more than this database depends on a role: a database that it owns, or one in which it has rights.
NOT_ONLY_HERE = """
SELECT rolsuper OR EXISTS (
    SELECT FROM pg_shdepend d JOIN pg_database own ON own.datname = current_database()
    WHERE d.refclassid = 'pg_authid'::regclass AND d.refobjid = r.oid
        AND CASE d.dbid WHEN 0 THEN d.classid = 'pg_database'::regclass AND d.objid <> own.oid
            ELSE d.dbid <> own.oid END)
FROM pg_roles r WHERE rolname = $1
"""


class ReadingRole:
    """The role that an address names, in the database to which another address leads."""

    def __init__(self, url: str, read_url: str) -> None:
        parts = urlsplit(read_url)
        self.name, self.password = unquote(parts.username or ""), unquote(parts.password or "")
        self.read_url = read_url
        owner, place = urlsplit(url).netloc.rpartition("@")[0], parts.netloc.rpartition("@")[2]
        self.same_place = urlunsplit(parts._replace(netloc=f"{owner}@{place}"))

    async def check(self, connection: asyncpg.Connection) -> None:
        """Raise Unavailable if this database must not change the role, which all databases of a server share."""
        if await self.is_own(connection):
            return
        async with direct_connection(self.same_place, "READ_DATABASE_URL", **AS_MIGRATION) as there:
            if (await backend_of(there)).timeline != (await backend_of(connection)).timeline:
                raise Unavailable("READ_DATABASE_URL leads to another database than DATABASE_URL; nothing was changed.")
        if await connection.fetchval(NOT_ONLY_HERE, self.name) and not await self.works():
            raise Unavailable(
                f"The role {self.name} of READ_DATABASE_URL is a superuser or has rights in another database, and its "
                "password is another one. Name a role that only this board uses; nothing was changed."
            )

    async def grant(self, connection: asyncpg.Connection) -> str | None:
        """Create or update the role and grant its rights; return its name.

        Returns None if it is the connection's own role, or none is named. Raises Unavailable if the role does not exist
        and the connection has no right to create it.
        """
        if await self.is_own(connection):
            return None
        if not await self.works():
            await self.set_password(connection)
        async with connection.transaction():
            await connection.execute("SELECT grant_reading($1)", self.name)
        return self.name

    async def set_password(self, connection: asyncpg.Connection) -> None:
        exists = await connection.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", self.name)
        try:
            async with connection.transaction():
                await connection.execute(await role_statement(connection, exists, self.name, self.password))
        except asyncpg.InsufficientPrivilegeError:
            # Without the right to create roles, rights can still be granted to a role that exists.
            if not exists:
                raise Unavailable(
                    f"The role {self.name} of READ_DATABASE_URL does not exist, and the role of DATABASE_URL cannot "
                    "create it."
                ) from None

    async def is_own(self, connection: asyncpg.Connection) -> bool:
        return self.name in ("", await connection.fetchval("SELECT current_user"))

    async def works(self) -> bool:
        """Whether the role exists and its password is right."""
        try:
            async with direct_connection(self.read_url, "READ_DATABASE_URL", **AS_MIGRATION):
                return True
        except Unavailable:
            return False


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

"""The board's requirements of a PostgreSQL server, and those that a server lacks (docs/operating.md, "PostgreSQL")."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import asyncpg

VERSIONS: Final = (17, 18)
EXTENSIONS: Final = ("pg_trgm", "unaccent")
CONNECTIONS_PER_API: Final = 21
CONNECTIONS_PER_FANOUT: Final = 5
CONNECTIONS_MIN: Final = CONNECTIONS_PER_API + CONNECTIONS_PER_FANOUT + 3
"""One API process, one fan-out process, and some for operators."""
# The columns of pg_database and the settings differ between versions, so both are looked up by name.
FACTS: Final = """
SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major,
    pg_encoding_to_char(d.encoding) AS encoding,
    to_jsonb(d) ->> 'datlocprovider' AS provider, to_jsonb(d) ->> 'datlocale' AS locale,
    pg_has_role(d.datdba, 'USAGE') AS owns, r.rolcreaterole OR r.rolsuper AS makes_roles,
    EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS has_reader,
    ARRAY(SELECT unnest($2::text[]) EXCEPT SELECT name::text FROM pg_available_extensions ORDER BY 1) AS no_extensions,
    has_function_privilege('pg_control_system()', 'EXECUTE') AS identifies,
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_commit') AS synchronous_commit,
    coalesce(current_setting('transaction_timeout', true), '0') AS transaction_timeout,
    coalesce(current_setting('idle_session_timeout', true), '0') AS idle_session_timeout,
    current_setting('max_connections')::int AS max_connections,
    current_setting('synchronous_standby_names') AS synchronous_standby_names
FROM pg_database d, pg_roles r WHERE d.datname = current_database() AND r.rolname = current_user
"""


async def find_lacking(connection: asyncpg.Connection, hosts: int, reader: str) -> list[str]:
    """Return a sentence for each thing that the server of a connection lacks.

    `hosts` is the number of servers that DATABASE_URL names, and `reader` the role of READ_DATABASE_URL.
    """
    facts = await connection.fetchrow(FACTS, reader, EXTENSIONS)
    return [*database_lacks(facts), *role_lacks(facts, reader), *settings_lack(facts, hosts)]


def database_lacks(facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["major"] not in VERSIONS:
        tested = " and ".join(map(str, VERSIONS))
        yield f"The server is PostgreSQL {facts['version']}; the board is tested with versions {tested} only."
    if (facts["encoding"], facts["provider"], facts["locale"]) != ("UTF8", "b", "C.UTF-8"):
        yield (
            "The database has another encoding or locale; create it with TEMPLATE template0 ENCODING 'UTF8' "
            "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'."
        )
    for name in facts["no_extensions"]:
        yield f"The extension {name} is not available on the server; install the package with PostgreSQL's extensions."


def role_lacks(facts: Mapping[str, Any], reader: str) -> Iterator[str]:
    if not facts["owns"]:
        yield "The role of DATABASE_URL does not own the database; change its owner, or migrations fail."
    if not facts["has_reader"] and not facts["makes_roles"]:
        yield f"The role of DATABASE_URL cannot create roles; create {reader}, the role of READ_DATABASE_URL, yourself."
    if not facts["identifies"]:
        yield "The role of DATABASE_URL cannot execute pg_control_system(); grant it, or no process starts."


def settings_lack(facts: Mapping[str, Any], hosts: int) -> Iterator[str]:
    for name in ("fsync", "full_page_writes"):
        if facts[name] != "on":
            yield f"{name} is off; turn it on, or a crash of the machine loses acknowledged posts."
    if facts["synchronous_commit"] not in ("on", "remote_apply"):
        yield f"synchronous_commit is {facts['synchronous_commit']}; set it to on, or acknowledged posts can be lost."
    for name in ("transaction_timeout", "idle_session_timeout"):
        if (value := facts[name]) != "0":
            yield f"{name} is {value}; set it to 0, or connections end while they are in use."
    if facts["max_connections"] < CONNECTIONS_MIN:
        yield (
            f"max_connections is {facts['max_connections']}; each API process needs {CONNECTIONS_PER_API} and each "
            f"fan-out process {CONNECTIONS_PER_FANOUT}, so the least is {CONNECTIONS_MIN}."
        )
    if hosts > 1 and not facts["synchronous_standby_names"]:
        yield (
            "DATABASE_URL names several servers, and synchronous_standby_names is empty; a fail-over would lose "
            "acknowledged posts and use their ids again."
        )

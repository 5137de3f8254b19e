"""agent-board doctor: the lacking parts of a server, and the faults of a running board, in sentences."""

import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from services.board.database import load
from services.board.database.connections import writing_connection
from services.board.database.requirements import EXTENSIONS, FACTS, database_lacks, role_lacks, settings_lack
from services.local.postgresql import PostgreSQL
from services.operator import troubles
from tests.operator import play
from tests.operator.conftest import Command

LOCALE = (
    "The database has another encoding or locale; create it with TEMPLATE template0 ENCODING 'UTF8' "
    "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'."
)
COMMIT = "synchronous_commit is off; set it to on, or acknowledged posts can be lost."
TIMEOUT = "transaction_timeout is 1min; set it to 0, or connections end while they are in use."
OWNER = "The role of DATABASE_URL does not own the database; change its owner, or migrations fail."
READER = "The role of DATABASE_URL cannot create roles; create reader_1, the role of READ_DATABASE_URL, yourself."


@pytest.fixture
async def poor_url(postgresql: PostgreSQL) -> AsyncIterator[str]:
    """A database that a role without rights uses, on a server that is otherwise well."""
    server = await asyncpg.connect(postgresql.url())
    await server.execute("CREATE ROLE poor LOGIN PASSWORD 'poor'")
    await server.execute("CREATE DATABASE poor TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    await server.execute("ALTER ROLE poor SET synchronous_commit = off")
    await server.execute("ALTER DATABASE poor SET transaction_timeout = '1min'")
    address = urlsplit(postgresql.url("poor"))
    yield urlunsplit(address._replace(netloc=f"poor:poor@{address.hostname}:{address.port}"))
    await server.execute("DROP DATABASE poor WITH (FORCE)")
    await server.execute("DROP ROLE poor")
    await server.close()


async def facts_of(url: str) -> dict[str, Any]:
    connection = await asyncpg.connect(url)
    row = await connection.fetchrow(FACTS, "reader_1", EXTENSIONS)
    await connection.close()
    return dict(row)


async def test_what_is_missing_is_said_and_exits_with_1(poor_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READ_DATABASE_URL", poor_url.replace("poor:poor", "reader_1:x"))
    status, out, error = await Command(poor_url)("doctor", "database")
    assert (status, out) == (1, "")
    assert {LOCALE, COMMIT, TIMEOUT, OWNER, READER} <= set(error.splitlines())


async def test_a_server_that_is_well_lacks_nothing(database: str) -> None:
    """The server of the tests itself flushes nothing."""
    facts = await facts_of(database) | {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
    assert [*database_lacks(facts), *role_lacks(facts, "reader_1"), *settings_lack(facts, 1)] == []


@pytest.mark.parametrize(
    ("difference", "sentence"),
    [
        ({"version": "16.4", "major": 16}, "The server is PostgreSQL 16.4; the board is tested with versions 17 and"),
        ({"no_extensions": ["unaccent"]}, "The extension unaccent is not available"),
        ({"identifies": False}, "The role of DATABASE_URL cannot execute pg_control_system()"),
        ({"fsync": "off"}, "fsync is off; turn it on, or a crash of the machine loses acknowledged posts."),
        ({"max_connections": 20}, "max_connections is 20; each API process needs 21 and each fan-out process 5,"),
        (
            {"synchronous_standby_names": ""},
            "DATABASE_URL names several servers, and synchronous_standby_names is",
        ),
    ],
)
async def test_each_thing_has_its_sentence(module_database: str, difference: dict[str, object], sentence: str) -> None:
    well = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "synchronous_standby_names": "b, c"}
    facts = await facts_of(module_database) | well | difference
    (found,) = [*database_lacks(facts), *role_lacks(facts, "reader_1"), *settings_lack(facts, 3)]
    assert found.startswith(sentence)


@contextmanager
def answering(status: int, body: bytes) -> Iterator[int]:
    """Answer every request like an API process would; give the port."""

    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Health) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


WELL = b'{"status":"ok"}'


async def test_a_board_on_which_nothing_is_wrong_is_well(board_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(200, WELL) as port:
        monkeypatch.setenv("PORT", str(port))
        assert await Command(board_url)("doctor", "board") == (0, "All is well.\n", "")


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (503, b"no database", "The API process answers 503 to /api/health: no database"),
        (200, b'{"status":"degraded"}', 'The API process is degraded: {"status":"degraded"}'),
    ],
)
async def test_an_api_process_that_is_not_well_is_reported(
    board_url: str, monkeypatch: pytest.MonkeyPatch, status: int, body: bytes, sentence: str
) -> None:
    with answering(status, body) as port:
        monkeypatch.setenv("PORT", str(port))
        assert await Command(board_url)("doctor", "board") == (1, "", f"{sentence}\n")


async def test_what_is_late_or_not_valid_is_reported(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = await writing_connection(database)
    await play.published(connection, play.Post(await play.register(connection, "alice")))
    await connection.execute("UPDATE posts SET created = created - interval '90 seconds'")
    await connection.execute("UPDATE log_state SET verifier_key = 'board.example/log+1+a'")
    await connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'communities_pkey'::regclass")
    await connection.close()
    with answering(200, WELL) as port:
        monkeypatch.setenv("PORT", str(port))
        status, _, error = await Command(database)("doctor", "board")
    invalid, inboxes, index, log = error.splitlines()
    assert (status, invalid) == (
        1, "The index communities_pkey is not valid; REINDEX INDEX CONCURRENTLY builds it again.",
    )  # fmt: skip
    assert re.fullmatch(r"The inboxes of 16 partitions are behind by up to 9\d s\.", inboxes)
    assert re.fullmatch(r"The search index is behind by 9\d s\.", index)
    assert log.startswith("The verifiable log has not been signed for 9")


async def test_connections_that_run_out_and_a_missing_standby_are_reported(
    board: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "LOAD", "SELECT 81 AS used, 100 AS most, true AS lonely")
    assert [sentence async for sentence in troubles.server_troubles(board)] == [
        "81 of 100 connections are in use; a roll needs those of one more replica.",
        "No standby is connected, although synchronous_standby_names has one: writes are answered 503.",
    ]


async def test_a_machine_without_an_api_process_is_reported() -> None:
    [sentence] = troubles.health_troubles(9)
    assert sentence.startswith("No API process answers on port 9 of this machine (")

"""A connection pooler is refused in every mode. PgBouncer stands for all of them."""

import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.database.connections import READING, REPEATING, WRITING
from services.board.database.readiness import wait_for_revision
from services.board.database.sockets import KEEPALIVES
from services.board.errors import Unavailable
from services.local.ports import free_port
from tests.programs import needs, spawn

CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={port} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen_port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
ignore_startup_parameters = {ignored}
"""
Pooled = Callable[..., AbstractContextManager[str]]
IGNORED = ", ".join({*READING, *REPEATING, *WRITING, *KEEPALIVES} - {"application_name"})


@pytest.fixture
def pooled(tmp_path: Path) -> Pooled:
    """Runs PgBouncer before a database; returns the address through it."""

    @contextmanager
    def run(url: str, **settings: str) -> Iterator[str]:
        to, listen_port = urlsplit(url), free_port()
        configuration = tmp_path / "pgbouncer.ini"
        configuration.write_text(
            CONFIGURATION.format(
                port=to.port, user=to.username, password=to.password, listen_port=listen_port, **settings
            )
        )
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        command: list[str | Path] = [needs("pgbouncer"), "-q", *user, configuration]
        with (tmp_path / "pgbouncer.log").open("wb") as log:
            process = spawn(command, env={"PATH": os.environ["PATH"]}, stdout=log, stderr=log)
        try:
            wait_for_port(listen_port)
            yield re.sub(r":\d+/", f":{listen_port}/", url)
        finally:
            process.kill()
            process.wait()

    return run


def wait_for_port(port: int) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < end
            time.sleep(0.02)


@pytest.mark.parametrize(
    ("mode", "ignored"), [("transaction", ""), ("transaction", IGNORED), ("statement", IGNORED), ("session", IGNORED)]
)
async def test_a_pooler_is_refused_at_the_start(database: str, pooled: Pooled, mode: str, ignored: str) -> None:
    with pooled(database, mode=mode, ignored=ignored) as url:
        # it should work for clients that need less
        connection = await asyncpg.connect(url, server_settings={"application_name": "a test"})
        assert await connection.execute("SELECT FROM log_head") == "SELECT 1"
        await connection.close()
        with pytest.raises(Unavailable, match=r"^DATABASE_URL leads to a connection pooler; it must lead to Post"):
            await wait_for_revision(url, 0)
        with pytest.raises(Unavailable, match=r"^READ_DATABASE_URL leads to a connection pooler; it must lead to Post"):
            await wait_for_revision(database, 0, url)

"""The time of the last transaction in a segment of PostgreSQL's log, as its own program reads it."""

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.compose.moments import LAST
from services.local.postgresql import PostgreSQL
from tests.databases import QUICK, CopyServer

SWITCH = "SELECT pg_walfile_name(pg_switch_wal())"
NOW = "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"
# The first ends a transaction, and the second undoes one, which counts as well.
WRITE = ("CREATE TABLE moment ()", "BEGIN; DROP TABLE moment; ROLLBACK")


@pytest.fixture
def postgresql(own_server: CopyServer, memory: Path) -> Iterator[PostgreSQL]:
    """A server on which nothing else writes, not even autovacuum."""
    with own_server(memory / "server", {**QUICK, "autovacuum": "off"}) as server:
        yield server


def test_the_time_of_the_last_transaction_of_a_segment_is_read(postgresql: PostgreSQL, tmp_path: Path) -> None:
    def sql(query: str) -> str:
        command = [str(postgresql.program("psql")), "--no-psqlrc", "--no-align", "--tuples-only", "--quiet"]
        options = ["--dbname", postgresql.url(), f"--command={query}"]
        done = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def last(segment: str) -> str:
        copy = tmp_path / segment
        copy.write_bytes((postgresql.cluster / "pg_wal" / segment).read_bytes())
        programs = {"PATH": f"{postgresql.program('pg_waldump').parent}:{os.environ['PATH']}"}
        script = f"{LAST}\nlast {copy}"
        done = subprocess.run(["sh", "-c", script], env=programs, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    sql(SWITCH)
    try:
        for statement in WRITE:
            before = sql(NOW)
            sql(statement)
            after, segment = sql(NOW), sql(SWITCH)
            assert before <= last(segment) <= after
            assert datetime.fromisoformat(last(segment)).replace(tzinfo=UTC) <= datetime.now(UTC)
        # only a record without a time
        sql("SELECT pg_logical_emit_message(false, 'moment', 'nothing')")
        assert last(sql(SWITCH)) == ""
    finally:
        sql("DROP TABLE moment")

"""The cost of archiving: posts are written while PostgreSQL archives its log, and while it does not."""

import asyncio
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.search import publication, text
from benchmarks.stage import forget_limits, make_agents
from deploy.environment import CHECKOUT
from services.board.access.tokens import hash_token
from services.board.database.connections import writing_connection
from services.board.posts.publications import publish_batch
from tests.stack.conftest import started
from tests.stack.make import Board

POSTS, BATCH = 16_384, 64
CPU = """
cat /sys/fs/cgroup/cpuacct/cpuacct.usage 2>/dev/null || awk '/usage_usec/ {print $2 * 1000}' /sys/fs/cgroup/cpu.stat
"""
POSITION = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
ARCHIVER = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'archiver'"
ARCHIVED = "SELECT last_archived_wal >= '{}' FROM pg_stat_archiver"
# A compression or cipher that takes most of a processor exceeds it, even on a busy machine.
CPU_RATIO_MAX = 3.0


@dataclass(frozen=True)
class Turn:
    """The cost of a turn's posts: PostgreSQL's CPU time with all that it has started, its log, and the duration."""

    cpu_seconds: float
    log_bytes: float
    seconds: float


@pytest.fixture
def quiet(images: dict[str, str], tmp_path: Path) -> Iterator[Board]:
    """A stack whose PostgreSQL has nothing else to do."""
    with started(images, tmp_path, CHECKOUT) as board:
        board.make("backup")
        board.stack.compose("stop", "haproxy", "api", "fanout", "backup")
        board.sql("ALTER SYSTEM SET autovacuum = off")
        board.sql("SELECT pg_reload_conf()")
        yield board


def test_archiving_costs_little_next_to_posting(quiet: Board, figures: dict[str, str]) -> None:
    url = address(quiet)
    hashes = [hash_token(token) for token in asyncio.run(make_agents(url, POSTS))]
    off, on = (turn(quiet, url, hashes, archiving) for archiving in (False, True))
    assert int(quiet.sql("SELECT count(*) FROM posts")) == 2 * POSTS
    cpu = on.cpu_seconds / off.cpu_seconds
    figures["archiving on / off"] = (
        f"{cpu:.2f} times the CPU time, {rate(on) / rate(off):.2f} times the log in a second; "
        f"{on.log_bytes / POSTS:.0f} bytes of log for a post of 1 kB, and "
        f"{1e6 * off.cpu_seconds / POSTS:.0f} us of CPU time without archiving"
    )
    assert cpu < CPU_RATIO_MAX


def address(board: Board) -> str:
    """Return the address of the database for this machine, which reaches the container by its own address."""
    url = (board.stack.configuration.path("SECRETS_DIR") / "database_url").read_text(encoding="utf-8").strip()
    [server] = board.containers("postgresql")
    found = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
    return url.replace(
        f"@{urlsplit(url).hostname}:", f"@{board.stack.docker('inspect', '--format', found, server.id).strip()}:"
    )


def turn(board: Board, url: str, hashes: list[bytes], archiving: bool) -> Turn:
    """Write one post for each agent, and archive all of its log, or none of it until the turn has been measured."""
    asyncio.run(forget_limits(url))
    # The first change of a page after a checkpoint logs the whole page, in both turns alike.
    board.sql("CHECKPOINT")
    archive_all(board)
    send(board, "CONT" if archiving else "STOP")
    start, cpu = float(board.sql(POSITION)), used(board)
    seconds = asyncio.run(publish(url, hashes))
    written = float(board.sql(POSITION)) - start
    if archiving:
        archive_all(board)
    cpu = used(board) - cpu
    send(board, "CONT")
    return Turn(cpu, written, seconds)


def archive_all(board: Board) -> None:
    """Wait until PostgreSQL has archived its log up to now."""
    segment = board.sql("SELECT pg_walfile_name(pg_switch_wal())")
    deadline = time.monotonic() + 120
    while board.sql(ARCHIVED.format(segment)) != "t":
        assert time.monotonic() < deadline
        time.sleep(0.2)


def send(board: Board, signal: str) -> None:
    """Send a signal to the archiver."""
    board.stack.ask("exec", "-T", "postgresql", "sh", "-c", f"kill -{signal} {board.sql(ARCHIVER)}")


def used(board: Board) -> float:
    """Return the CPU seconds that the processes of PostgreSQL's container have used."""
    return int(board.stack.ask("exec", "-T", "postgresql", "sh", "-c", CPU)) / 1e9


async def publish(url: str, hashes: list[bytes]) -> float:
    """Write one post for each agent; return how many seconds that took."""
    chance = random.Random(1)
    posts = [publication(each, text(chance)) for each in hashes]
    connection = await writing_connection(url)
    began = time.monotonic()
    for first in range(0, POSTS, BATCH):
        await publish_batch(connection, posts[first : first + BATCH], communities_open=True)
    seconds = time.monotonic() - began
    await connection.close()
    return seconds


def rate(turn: Turn) -> float:
    return turn.log_bytes / turn.seconds

"""PostgreSQL's disk is full, so that its recovery fails: it starts again by itself when there is room."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.compose.stack import Container
from tests.stack.conftest import started
from tests.stack.make import Board
from tests.stack.prometheus import Prometheus, until
from tests.web import Agent, Web

MEASURING = ("node-exporter", "prometheus", "targets")
DISK_BYTES = 400 * 2**20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=1777", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def small(images: dict[str, str], disk: Path, tmp_path: Path) -> Iterator[Board]:
    """A stack whose PostgreSQL is on the small disk, which the monitoring measures."""
    settings = {**images, "POSTGRES_VOLUME": str(disk)}
    with started(settings, tmp_path) as board:
        board.stack.compose("--profile", "observability", "up", "--detach", "--no-build", *MEASURING)
        yield board


def fill(disk: Path) -> None:
    with (disk / "filling").open("wb", buffering=0) as file:
        while free := shutil.disk_usage(disk).free:
            file.write(bytes(min(free, 2**20)))


def crash(board: Board, postgresql: Container) -> None:
    """Kill one of PostgreSQL's backends, so that it begins its recovery without a restart of the container."""
    one = board.sql("SELECT min(pid) FROM pg_stat_activity WHERE usename = 'agent_board'")
    board.stack.docker("exec", postgresql.id, "sh", "-c", f"kill -KILL {one}")


def publish(agent: Agent) -> int:
    return agent.post("/api/threads", {"title": "A question", "body": "Who knows?"}).status


def test_the_board_goes_on_by_itself_when_a_full_disk_has_room_again(small: Board, disk: Path) -> None:
    with Web(small.url) as web:
        alice = web.register("alice")
        assert publish(alice) == 201
        [postgresql] = small.containers("postgresql")
        assert shutil.disk_usage(disk).free > 16 * 2**20
        # its recovery must write this table again, for which there is no room
        small.sql("CHECKPOINT")
        small.sql("CREATE TABLE passing AS SELECT repeat('x', 2000) FROM generate_series(1, 4000)")
        small.sql("DROP TABLE passing")
        fill(disk)
        crash(small, postgresql)
        # PostgreSQL 18 stays without doing anything when its recovery fails; the engine should start it again
        small.until_restarted(postgresql)
        until(lambda: Prometheus(small).firing("PostgreSQLDiskFull"), {"PostgreSQLDiskFull"})
        [postgresql] = small.containers("postgresql")
        assert "No space left on device" in small.stack.docker("logs", "--tail", "20", postgresql.id, errors=True)
        assert publish(alice) == 503
        (disk / "filling").unlink()
        small.until_well()
        assert publish(alice) == 201
        assert small.sql("SELECT count(*) FROM posts") == "2"

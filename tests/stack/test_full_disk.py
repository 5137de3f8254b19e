"""PostgreSQL's disk is full, so that it cannot even start: the commands report it, and the ballast is the way out."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.server import CHECKOUT
from tests.stack.conftest import started
from tests.stack.make import Board
from tests.stack.prometheus import Prometheus, until
from tests.web import Agent, Web

DISK_BYTES = 400 * 2**20
MEASURING = ("node-exporter", "prometheus", "targets")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=1777", "tmpfs", disk], check=True)
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.fixture
def small(images: dict[str, str], disk: Path, tmp_path: Path) -> Iterator[Board]:
    """A stack whose PostgreSQL is on the small disk, which the monitoring measures."""
    settings = {**images, "POSTGRES_VOLUME": str(disk), "BALLAST_MEBIBYTES": "32"}
    with started(settings, tmp_path, CHECKOUT) as board:
        board.stack.compose("--profile", "observability", "up", "--detach", "--no-build", *MEASURING)
        yield board


def fill(disk: Path) -> None:
    with (disk / "filling").open("wb", buffering=0) as file:
        while free := shutil.disk_usage(disk).free:
            file.write(bytes(min(free, 2**20)))


def publish(agent: Agent) -> int:
    return agent.post("/api/threads", {"title": "A question", "body": "Who knows?"}).status


def test_the_ballast_is_the_way_out_of_a_full_disk(small: Board, disk: Path) -> None:
    with Web(small.url) as web:
        alice = web.register("alice")
        assert publish(alice) == 201
        [postgresql] = small.containers("postgresql")
        # the last room is taken while it is down: files removed before, such as archived log, would let it start
        small.stack.docker("stop", postgresql.id, seconds=60)
        fill(disk)
        small.stack.docker("start", postgresql.id)
        small.until_restarted(postgresql)
        # it cannot start; the commands should say so, and the monitoring page
        until(lambda: Prometheus(small).firing("PostgreSQLDiskFull"), {"PostgreSQLDiskFull"})
        said = small.make("doctor", fails=True)
        assert "No space left on device" in said
        assert "/api/health" in said
        assert publish(alice) == 503
        assert "PostgreSQL has the room of the ballast again." in small.make("drop-ballast")
        small.until_well()
        assert publish(alice) == 201
        # its room is small, and the disk is still almost full
        assert "PostgreSQL's disk has" in small.make("doctor", fails=True)

"""The script of the nightly backup, run by a shell with PostgreSQL's own programs: a full volume becomes free again."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from services.local.postgresql import PostgreSQL
from tests.k8s.conftest import Rendered
from tests.k8s.rendering import containers, environment, named

DAY = 86_400


@pytest.fixture
def job(rendered: Rendered, shared_database: str, tmp_path: Path) -> list[str]:
    """The script on the folder `backups`, which may write files of at most a number of KiB."""
    manifests = rendered("components/backup")
    cron = named(manifests, "CronJob", "backup")
    assert environment(cron, manifests) == {"KEPT_DAYS": "14"}
    *shell, script = containers(cron)[0]["command"]
    for name in ("backups", "secrets"):
        (tmp_path / name).mkdir()
    (tmp_path / "secrets" / "database_url").write_text(shared_database)
    script = script.replace("/backups", str(tmp_path / "backups")).replace("/run/secrets", str(tmp_path / "secrets"))
    return [*shell, f"ulimit -f $ROOM; {script}"]


def backed_up(job: list[str], room: str) -> int:
    path = f"{PostgreSQL.program().parent}:{os.environ['PATH']}"
    return subprocess.run(job, env={"PATH": path, "KEPT_DAYS": "14", "ROOM": room}, check=False).returncode


def test_a_full_volume_is_freed_of_old_backups_and_keeps_the_newest(job: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    for name, days in {"1.dump": 30, "2.dump": 16, "3.dump": 15, "4.dump.unfinished": 15}.items():
        (folder / f"agent-board-{name}").touch()
        os.utime(folder / f"agent-board-{name}", (time.time() - days * DAY,) * 2)
    assert backed_up(job, room="1") != 0
    assert [path.name for path in folder.iterdir()] == ["agent-board-3.dump"]
    assert backed_up(job, room="unlimited") == 0
    made, kept = sorted(path.name for path in folder.iterdir())
    assert (made[-5:], kept) == (".dump", "agent-board-3.dump")

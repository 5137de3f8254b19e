"""The service `backup` gives the monitoring a time before it has made a backup, so that a missing one is noticed."""

import os
import subprocess
from pathlib import Path

from deploy.compose.configuration import DIRECTORY

SCRIPT = DIRECTORY / "pgbackrest" / "backup-schedule"
# The schedule ends with its first measurement.
PUBLISH = """#!/bin/sh
echo "$2 $4"
kill "$PPID"
"""


def first_measured(folder: Path) -> str:
    """Start the schedule with this folder in place of those of its container, and return its first measurement."""
    script = SCRIPT.read_text(encoding="utf-8")
    for there in ("/srv/metrics", "/run/secrets"):
        script = script.replace(there, str(folder))
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True, timeout=10, check=True)
    return done.stdout


def test_before_the_first_backup_its_time_is_that_of_1970(tmp_path: Path) -> None:
    (tmp_path / "postgres_password").touch()
    publish = tmp_path / "publish-metric"
    publish.write_text(PUBLISH)
    publish.chmod(0o755)
    assert first_measured(tmp_path) == "agent_board_backup_timestamp_seconds 0\n"

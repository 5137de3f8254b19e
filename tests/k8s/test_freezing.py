"""The script that freezes PostgreSQL stops every process of it; tests/cluster runs it in the pod of a primary."""

import os
import signal
import subprocess
from pathlib import Path

import psutil

from tests.cluster.freezing import FREEZE
from tests.databases import CopyServer
from tests.waiting import wait_until


def test_every_process_of_postgresql_is_frozen(own_server: CopyServer, memory: Path) -> None:
    with own_server(memory) as server:
        postmaster = psutil.Process(int((server.cluster / "postmaster.pid").read_text().split()[0]))
        processes = [postmaster, *postmaster.children()]
        assert len(processes) > 3
        try:
            environment = {"PATH": os.environ["PATH"], "PGDATA": str(server.cluster)}
            subprocess.run(["sh", "-c", FREEZE], env=environment, check=True)
            wait_until(lambda: all(each.status() == psutil.STATUS_STOPPED for each in processes))
        finally:
            for process in processes:
                process.send_signal(signal.SIGCONT)

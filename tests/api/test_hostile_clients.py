"""Clients that send or read too little hold up no other client and end no process, however long they go on."""

import re
import resource
from contextlib import ExitStack
from pathlib import Path

from tests.api.raw import Raw
from tests.api.test_deadlines import ImpatientApi
from tests.hostile_clients import ask_meanwhile, faults, hostile_clients_of
from tests.processes import ApiProcess
from tests.waiting import wait_until

# three times the deadlines of tests/api/impatient_api.py
HELD_SECONDS = 1.5
FILES, CONNECTIONS = 30, 100
MEMORY_MEBIBYTES_MAX = 512
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.M)


def test_hostile_clients_do_not_matter_to_others(database: str, tmp_path: Path) -> None:
    with ImpatientApi(database, tmp_path) as api:
        files = files_of(api)
        with hostile_clients_of(api.host, api.port, HELD_SECONDS):
            assert ask_meanwhile(api.host, api.port, 5)
        assert faults(api) == []
        assert peak_mebibytes(api) < MEMORY_MEBIBYTES_MAX
        # it should keep nothing of them
        wait_until(lambda: files_of(api) <= files + 4)
        assert api.terminate() == 0
        assert faults(api) == []


def test_more_connections_than_the_process_may_open_end_nothing(database: str, tmp_path: Path) -> None:
    with ApiProcess(database, tmp_path) as api, ExitStack() as held:
        most = files_of(api) + FILES
        resource.prlimit(api.running.pid, resource.RLIMIT_NOFILE, (most, most))
        for _ in range(CONNECTIONS):
            held.enter_context(Raw(api.url))
        wait_until(lambda: files_of(api) >= most)
        held.close()
        wait_until(lambda: files_of(api) < most - FILES // 2)
        assert ask_meanwhile(api.host, api.port, 1)
        assert api.terminate() == 0


def peak_mebibytes(api: ApiProcess) -> float:
    found = PEAK.search(Path(f"/proc/{api.running.pid}/status").read_text())
    assert found
    return int(found[1]) / 1024


def files_of(api: ApiProcess) -> int:
    return len(list(Path(f"/proc/{api.running.pid}/fd").iterdir()))

"""Another loader, hey, and ours measure the same of the same board at the same rate."""

import csv
import io
import subprocess
from pathlib import Path

import pytest

from tests.loadtests.faults import delays_lists
from tests.loadtests.test_runs import run
from tests.loadtests.wrong_board import WrongBoard
from tests.processes import ApiProcess
from tests.programs import needs

SECONDS = 10
CONNECTIONS = 4
NOISE = 0.1


def heys_latencies(url: str, rate: float) -> list[float]:
    """Let hey read a URL at a rate, and return the seconds of its calls, sorted."""
    command = [needs("hey", "hey"), "-z", f"{SECONDS}s", "-c", str(CONNECTIONS), "-q", f"{rate / CONNECTIONS:.3f}"]
    said = subprocess.run([*command, "-o", "csv", url], capture_output=True, text=True, timeout=120, check=True).stdout
    return sorted(float(row["response-time"]) for row in csv.DictReader(io.StringIO(said)))


@pytest.mark.slow
def test_two_loaders_agree_at_a_fixed_rate(board: ApiProcess, tmp_path: Path) -> None:
    needs("hey", "hey")
    with WrongBoard(board.url, delays_lists) as slow:
        _, result, output = run(tmp_path, f"--board={slow.url}", f"--seconds={SECONDS}")
        ours = result["operations"]["list_threads"]
        rate = ours["calls"] / SECONDS
        before = slow.lists
        theirs = heys_latencies(f"{slow.url}/api/threads", rate)
        counted = slow.lists - before
    assert not ours["faults"], output
    # hey should have reported each of its calls, and should have kept the rate that ours had
    assert len(theirs) == counted
    assert counted / SECONDS == pytest.approx(rate, rel=NOISE)
    # two of three calls are fast, and the third is not
    assert ours["p50_ms"] / 1000 == pytest.approx(theirs[len(theirs) // 2], abs=NOISE)
    assert ours["max_ms"] / 1000 > 0.3
    assert theirs[len(theirs) * 95 // 100] > 0.3

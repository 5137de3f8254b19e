"""`python -m loadtests.worker RESULTS LEADER [--once]`: a worker of runs whose leader is another container.

Leader and workers share the folder of results: the leader leaves the description of its run there before it listens.
"""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from loadtests.run import Run

CHECKOUT: Final = Path(__file__).parents[1]
LOCUSTFILE: Final = CHECKOUT / "loadtests/locustfile.py"
LEADER_PORT: Final = 5557
REST_SECONDS: Final = 0.5


def announce(results: Path, run: Run) -> None:
    """Leave the description of the next run for the workers."""
    unfinished = results / "run.unfinished"
    unfinished.write_text(run.to_json())
    unfinished.replace(results / "run.json")


def wait_for(leader: str) -> None:
    """Return as soon as a leader listens."""
    while True:
        try:
            with socket.create_connection((leader, LEADER_PORT), 5):
                return
        except OSError:
            time.sleep(REST_SECONDS)


def work(results: Path, leader: str) -> int:
    """Take part in the run of the leader that listens; return Locust's exit code."""
    description = (results / "run.json").read_text()
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--worker", "--master-host", leader]
    return subprocess.run(command, env=environment(description, results), cwd=CHECKOUT, check=False).returncode


def environment(description: str, home: Path) -> dict[str, str]:
    """Return the environment of Locust, which only its command line and the description of the run configure.

    It would also read LOCUST_... and .locust.conf in its home, which is therefore the folder `home` of the run.
    """
    outside = {name: value for name, value in os.environ.items() if not name.startswith("LOCUST_")}
    return {**outside, "LOADTEST_RUN": description, "PYTHONPATH": str(CHECKOUT), "HOME": str(home)}


def main() -> None:
    """Take part in one run after the other, until stopped; with --once, in the next run."""
    results, leader, once = Path(sys.argv[1]), sys.argv[2], sys.argv[3:] == ["--once"]
    while True:
        wait_for(leader)
        print(f"The run has ended with exit code {work(results, leader)}.", flush=True)
        if once:
            return


if __name__ == "__main__":
    main()

"""The board is what /openapi.json says of it.

schemathesis calls every operation of a live board with what the description allows and with what it does not, follows
its links from answer to call, and holds every answer against it, with all its checks. How it calls, and what of the
contract it cannot know, stands in schemathesis.toml and schemathesis_hooks.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from services.board.contract.operations import OPERATIONS
from tests.processes import CHECKOUT, ApiProcess

SCHEMATHESIS = Path(sys.executable).with_name("st")
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
SECONDS = 900


def test_the_board_is_what_its_description_says(api: ApiProcess, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    run = subprocess.run(
        [SCHEMATHESIS, "--config-file", CONFIGURATION, "run", f"{api.url}/openapi.json", "--checks", "all",
         "--no-color", "--report", "json", "--report-json-path", report],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr

    # it should have tried every operation but the one that it has the description from, in every phase that there is
    # material for
    found = json.loads(report.read_text())
    assert found["complete"]
    assert found["operations"]["total"] == found["operations"]["tested"] == len(OPERATIONS) - 1
    phases = {phase: state["status"] for phase, state in found["phases"].items()}
    assert phases == {"examples": "skip", "coverage": "success", "fuzzing": "success", "stateful": "success"}
    assert found["test_cases"]["generated"] > 50 * len(OPERATIONS)
    # it should have nothing to complain of, and nothing should have gone wrong inside
    warnings = found["warnings"]
    # what is private to each caller, and every call here comes from a caller of its own
    without_data = warnings.pop("missing_test_data")
    assert all(call.split()[1].startswith(("/api/subscriptions/", "/api/inbox/")) for call in without_data)
    assert not any(warnings.values()), warnings
    assert [line for line in api.log_lines() if line["level"] in ("warning", "error")] == []

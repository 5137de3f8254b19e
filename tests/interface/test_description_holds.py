"""The board behaves as /openapi.json describes it.

schemathesis calls every operation of a live board with valid and with invalid values, follows the links from answers to
calls, and checks every answer against the description, with all its checks. schemathesis.toml and schemathesis_hooks.py
configure its calls, and exclude parts of the contract that it cannot know. Two checks have nothing to do here, because
no private object has a GET of its own: use_after_free and object_level_authorization. Their findings would be covered
by tests/contract/test_authorization.py and the tests of the operations.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from services.contract.operations import INTERFACE
from tests.processes import CHECKOUT, ApiProcess

SCHEMATHESIS = Path(sys.executable).with_name("st")
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
SECONDS = 900
# A few calls of each operation, in the only phase that can be shortened. They are too few for warnings.
SHORT = ["--phases", "fuzzing", "--max-examples", "1", "--warnings", "off"]
Report = dict[str, Any]


def test_a_few_calls_of_each_operation_are_answered_as_described(module_api: ApiProcess, tmp_path: Path) -> None:
    found = examine(module_api, tmp_path, *SHORT)
    assert phases(found)["fuzzing"] == "success"
    assert found["test_cases"]["generated"] > len(INTERFACE)


@pytest.mark.slow
def test_the_board_is_what_its_description_says(module_api: ApiProcess, tmp_path: Path) -> None:
    found = examine(module_api, tmp_path)
    # it should have run every phase
    assert phases(found) == {"examples": "success", "coverage": "success", "fuzzing": "success", "stateful": "success"}
    assert found["test_cases"]["generated"] > 50 * len(INTERFACE)
    warnings = found["warnings"]
    # Subscriptions and events are private to each caller, and every call comes from another caller. Few tiles exist.
    without_data = warnings.pop("missing_test_data")
    assert all(
        call.split()[1].startswith(("/api/subscriptions/", "/api/inbox/", "/log/tile/")) for call in without_data
    )
    assert not any(warnings.values()), warnings


def phases(found: Report) -> dict[str, str]:
    return {phase: state["status"] for phase, state in found["phases"].items()}


def examine(api: ApiProcess, folder: Path, *options: str) -> Report:
    """Run schemathesis, check that it has found no fault, and return its report."""
    report = folder / "report.json"
    run = subprocess.run(
        [SCHEMATHESIS, "--config-file", CONFIGURATION, "run", f"{api.url}/openapi.json", "--no-color",
         "--report", "json", "--report-json-path", report, *options],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    found: Report = json.loads(report.read_text())
    assert found["complete"]
    # it should have called every operation except the one that returns the description
    assert found["operations"]["total"] == found["operations"]["tested"] == len(INTERFACE) - 1
    # no call should have caused an internal error
    assert [line for line in api.log_lines() if line["level"] in ("warning", "error")] == []
    return found

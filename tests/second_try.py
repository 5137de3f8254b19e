"""Gives the tests that failed in the last run one more try, one at a time, and remembers those that passed only then.

    python -m tests.second_try [ARGUMENTS OF PYTEST]

Three tests at a time can be too much for a slow machine. But a test that needs a second try in two runs has a fault, or
has found one: then the exit status is 1. The file SECOND_TRIES, by default .local/second_tries.txt, remembers them. It
has one line for each of them and each run, so that `.ci/run` can print those of its run at its end.
"""

import os
import sys
from pathlib import Path

import pytest

REMEMBERED = Path(os.environ.get("SECOND_TRIES") or ".local/second_tries.txt")


class Outcomes:
    """Collects which tests passed, and which did not in one of their phases."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call":
            self.called.append(report.nodeid)

    def passed(self) -> list[str]:
        return [test for test in self.called if test not in self.failed]


def main(arguments: list[str]) -> int:
    outcomes = Outcomes()
    again = ["--last-failed", "--last-failed-no-failures", "none"]
    code = int(pytest.main([*again, *arguments], plugins=[outcomes]))
    repeated = remember(outcomes.passed())
    return code or repeated


def remember(passed: list[str]) -> int:
    """Print and store the tests that passed at the second try. Return 1 if one of them is stored already."""
    before = REMEMBERED.read_text().splitlines() if REMEMBERED.exists() else []
    repeated = [test for test in passed if test in before]
    print("\nPassed only at the second try:", *passed or ["none"], sep="\n  ")
    REMEMBERED.parent.mkdir(parents=True, exist_ok=True)
    with REMEMBERED.open("a") as file:
        file.writelines(f"{test}\n" for test in passed)
    if repeated:
        print("\nNeeded a second try before. Find the fault:", *repeated, sep="\n  ")
        print(f"Once it is mended, remove the lines of these tests from {REMEMBERED}.")
    return 1 if repeated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

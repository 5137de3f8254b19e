"""`make mutants`: run the tests of every mutant on a copy of the checkout, and print which mutants were killed.

A mutant is killed when one of its tests runs and fails. Tests that pass, that cannot run or that exceed their time do
not kill it. The exit code is 0 only when every mutant was killed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.databases import SHARED
from tests.mutants.mutant import CHECKOUT, Mutant, mutants
from tests.shares import share, today

FOLDERS: Final = ("services", "clients", "deploy", "loadtests", "tests", "examples", "benchmarks", "docs")
SECONDS_MAX: Final = 600
PYTEST: Final = (
    *(sys.executable, "-m", "pytest", "-q", "-x", "--tb=short", "-m", ""),
    *("-p", "no:cacheprovider", "-p", "pytest_asyncio.plugin"),
    # A connection that a faulty build leaves open would end pytest before it names the failed test.
    *("-p", "no:unraisableexception"),
)
ENVIRONMENT: Final = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "240"}
"""Importing all plugins would take half the time of most mutants. The failure must fit on its line."""
TESTS_FAILED: Final = 1
"""pytest's exit code when tests or their fixtures have failed."""
FAILED: Final = re.compile(r"^FAILED (.*)", re.MULTILINE)


def main() -> int:
    """Run the mutants named on the command line, or all."""
    chosen, jobs = arguments()
    began = time.monotonic()
    with ExitStack() as folders, ThreadPoolExecutor(jobs) as pool:
        copies = Copies(folders)
        os.environ[SHARED] = str(copies.folder())
        killed = [*pool.map(lambda mutant: report(mutant, copies), chosen)]
    seconds = time.monotonic() - began
    print(f"{sum(killed)} of {len(chosen)} mutants killed in {seconds:.0f} s: {sum(killed) / len(chosen):.2f}")
    left = [mutant.name for mutant, is_killed in zip(chosen, killed, strict=True) if not is_killed]
    print("Not killed:", *left or ["none"])
    return 1 if left else 0


def arguments() -> tuple[list[Mutant], int]:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants to run, by name; all by default")
    parser.add_argument("--of", type=int, default=1, help="run one of this many shares, the next one each day (1)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants that run at the same time (2)")
    chosen = parser.parse_args()
    known = {mutant.name: mutant for mutant in mutants()}
    if unknown := sorted(set(chosen.names) - known.keys()):
        parser.error(f"no such mutant: {', '.join(unknown)}")
    selected = [known[name] for name in chosen.names] or [*share([*known.values()], chosen.of, today())]
    return selected, max(1, chosen.jobs)


class Copies:
    """One copy of the checkout for each thread: a reused copy already has its bytecode."""

    def __init__(self, folders: ExitStack) -> None:
        self.folders = folders
        self.of_thread = threading.local()

    def get(self) -> Path:
        """Return the copy of this thread."""
        if not hasattr(self.of_thread, "copy"):
            self.of_thread.copy = self.folder()
            copy_checkout(self.of_thread.copy)
        return Path(self.of_thread.copy)

    def folder(self) -> Path:
        """Return a new folder, to which the servers of the tests have access: they run as another user."""
        folder = Path(self.folders.enter_context(tempfile.TemporaryDirectory(prefix="mutants-")))
        folder.chmod(0o755)
        return folder


def report(mutant: Mutant, copies: Copies) -> bool:
    """Run one mutant, print its line and return whether it was killed."""
    copy = copies.get()
    began = time.monotonic()
    outcome, why = run(mutant, copy)
    print(f"{outcome:<10} {time.monotonic() - began:6.1f} s  {mutant.name}  {why}", flush=True)
    return outcome == "killed"


def run(mutant: Mutant, copy: Path) -> tuple[str, str]:
    """Return the outcome, and the failure that killed the mutant or the last lines of what the tests printed.

    The outcome is killed, survived, timed out, or broken when the tests could not run.
    """
    with mutant.applied(copy):
        try:
            done = subprocess.run(
                [*PYTEST, *mutant.tests],
                cwd=copy,
                env=environment(),
                capture_output=True,
                check=False,
                timeout=SECONDS_MAX,
                text=True,
            )
        except subprocess.TimeoutExpired:
            return "timed out", ""
    failures = FAILED.findall(done.stdout)
    if done.returncode == TESTS_FAILED and failures:
        return "killed", failures[0]
    return "survived" if done.returncode == 0 else "broken", f"\n{done.stdout[-3000:]}\n{done.stderr[-1000:]}"


def environment() -> dict[str, str]:
    """Return pytest's environment, in which bytecode may always be written."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | ENVIRONMENT


def copy_checkout(copy: Path) -> None:
    for name in FOLDERS:
        if (CHECKOUT / name).exists():
            shutil.copytree(CHECKOUT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in CHECKOUT.iterdir():
        if path.is_file():
            shutil.copy(path, copy)
    (copy / ".venv").symlink_to(CHECKOUT / ".venv")


if __name__ == "__main__":
    sys.exit(main())

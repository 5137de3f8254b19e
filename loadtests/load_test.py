"""One run, from the agents that it needs to its exit code."""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from loadtests import capacity, profiles, result
from loadtests.agents import Agents
from loadtests.board import open_board
from loadtests.errors import InvalidRun
from loadtests.gates import Gate, judge
from loadtests.ledger import Ledger
from loadtests.local import CHECKOUT, LocalBoard
from loadtests.measurements import Measurements
from loadtests.processes import Processes
from loadtests.run import Run
from loadtests.schedule import check_schedule, schedule_gates
from loadtests.verification import Findings, Verification

STOP_SECONDS: Final = 60


class LoadTest:
    """One run. After it, `gates` has what was judged, and `row` what a ramp has found."""

    def __init__(self, options: argparse.Namespace, local: LocalBoard) -> None:
        profile = profiles.find(options.profile)
        self.folder = Path(options.results) / time.strftime(f"%Y%m%d-%H%M%S-{profile.name}")
        self.options = options
        self.processes = Processes(local.pid)
        self.gates: list[Gate] = []
        self.row: capacity.Row | None = None
        self.release = ""
        self.url = local.url.rstrip("/")
        self.agents = Agents(Path(options.results), self.url)
        self.run_description = Run(
            board=self.url,
            profile_name=profile.name,
            count=options.agents or profile.agents,
            seconds=options.seconds or profile.seconds,
            interval=options.every or profile.interval,
            workers=options.workers,
            seed=options.seed,
            agents=str(self.agents.file.resolve()),
            records=str(self.folder / "records.json"),
            late=options.late,
            mix=options.mix or dict(profile.mix),
        )

    def run(self) -> int:
        """Prepare, load, verify, judge and report. Raises InvalidRun."""
        run = self.run_description
        asyncio.run(self.prepare())
        self.folder.mkdir(parents=True, mode=0o700)
        self.processes.start()
        try:
            self.locust()
        finally:
            self.processes.stop()
        ledger, measurements, began = self.records()
        if not run.profile.stops_when_broken:
            check_schedule(ledger, run.late)
        print("Comparing the board with its acknowledgements.", flush=True)
        findings = asyncio.run(self.verify(ledger))
        self.gates = self.judge(measurements, ledger, findings)
        if run.profile.stops_when_broken:
            self.row = capacity.row(run, self.gates, ledger, measurements, self.processes, began)
        return self.report(measurements, ledger, findings, self.processes.mean_cores(began))

    def judge(self, measurements: Measurements, ledger: Ledger, findings: Findings) -> list[Gate]:
        """Return the gates of the profile."""
        run = self.run_description
        gates = judge(measurements, run.profile, ledger, findings)
        if run.profile.stops_when_broken:
            gates += schedule_gates(ledger, run.late, run.profile)
        return gates

    async def prepare(self) -> None:
        run = self.run_description
        async with open_board(self.url) as board:
            self.release = board.release
            await self.agents.prepare(board, run.agents_needed())
            run.check(*await board.posts_limit(self.agents.known[0].token))

    def locust(self) -> None:
        """Run Locust until the profile ends, or until Ctrl-C. Raises InvalidRun when it fails."""
        run, profile = self.run_description, self.run_description.profile
        print(
            f"{profile.name}: {profile.purpose}; {run.count} agents, {profile.warm_up:.0f} s of warm-up, then "
            f"{profile.seconds:.0f} s. Files: {self.folder}",
            flush=True,
        )
        command = [sys.executable, "-m", "locust", "-f", "loadtests/locustfile.py"]
        command += ["--only-summary", "--loglevel", "INFO"]
        command += ["--html", str(self.folder / "report.html"), "--stop-timeout", str(STOP_SECONDS)]
        command += ["--autostart", "--autoquit", "3"] if self.options.web else ["--headless"]
        command += ["--processes", str(run.workers)] if run.workers > 1 else []
        env = {**os.environ, "LOADTEST_RUN": run.to_json(), "PYTHONPATH": str(CHECKOUT)}
        log = self.folder / "locust.txt"
        with log.open("w") as file:
            done = subprocess.run(command, env=env, cwd=CHECKOUT, stderr=file, check=False)
        if not Path(run.records).exists():
            raise InvalidRun(f"Locust ended with exit code {done.returncode} and left no records; see {log}.")

    def records(self) -> tuple[Ledger, Measurements, float]:
        """Return what Locust has recorded, and the moment of time.perf_counter at which its measured time began."""
        records = json.loads(Path(self.run_description.records).read_text())
        ledger, measurements = Ledger(), Measurements()
        ledger.extend(records["ledger"])
        measurements.extend(records["measurements"])
        if not measurements.operations():
            log = self.folder / "locust.txt"
            raise InvalidRun(f"No call was measured: the run ended during its warm-up; {log} has the reason.")
        return ledger, measurements, records["began"]

    async def verify(self, ledger: Ledger) -> Findings:
        async with open_board(self.url) as board:
            return await Verification(board, ledger, self.agents.known).check()

    def report(self, measurements: Measurements, ledger: Ledger, findings: Findings, cores: dict[str, float]) -> int:
        """Print and write the result; return the exit code."""
        run = self.run_description
        load = result.load_of(run, ledger, measurements, cores, self.release)
        print(result.table(measurements, self.gates, load))
        for operation, sentence in ledger["wrong"][:10]:
            print(f"wrong: {operation}: {sentence}")
        for name, found in findings.violations.items():
            print("".join(f"{name}: {one}\n" for one in found[:10]), end="")
        if self.row is not None:
            print(f"\n{capacity.HEAD}\n{self.row}\n")
        text = result.machine_readable(run, measurements, self.gates, self.row, load)
        (self.folder / "result.json").write_text(text)
        print(f"{findings.posts} acknowledged posts were compared. Report: {self.folder / 'report.html'}")
        return int(any(gate.is_broken for gate in self.gates))

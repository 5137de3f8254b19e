"""`python -m loadtests`: puts a profile's load on a board and judges what the board did.

Exit status: 0 every gate holds; 1 a gate is broken; 2 the run is invalid or the usage is wrong.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from loadtests import profiles, result, worker
from loadtests.agents import Agents
from loadtests.board import open_board
from loadtests.errors import InvalidRun
from loadtests.gates import Gate, judge
from loadtests.ledger import Ledger
from loadtests.local import running_board
from loadtests.measurements import Measurements
from loadtests.run import Run
from loadtests.servers import GAUGES, Servers
from loadtests.verification import Findings, Verification
from loadtests.worker import CHECKOUT, LOCUSTFILE

LATE_SHARE: Final = 0.05
COUNT_TOLERANCE: Final = 0.01
GROWTH_SHARE: Final = 0.1
STOP_SECONDS: Final = 60
WORKERS_SECONDS: Final = 60


def main(arguments: list[str] | None = None) -> int:
    """Run one load test and return the exit code."""
    options = parser().parse_args(arguments)
    try:
        profiles.find(options.profile)
        with running_board(options.board, CHECKOUT) as (board, operator_urls):
            urls = operator_urls | dict(pair.split("=", 1) for pair in options.metrics)
            return LoadTest(options, board, Servers(urls)).run()
    except InvalidRun as invalid:
        print(f"Invalid run: {invalid}", file=sys.stderr)
        return 2


class LoadTest:
    """One run, from the agents that it needs to its exit code."""

    def __init__(self, options: argparse.Namespace, board: str, servers: Servers) -> None:
        profile = profiles.find(options.profile)
        self.folder = Path(options.results) / time.strftime(f"%Y%m%d-%H%M%S-{profile.name}")
        self.options = options
        self.servers = servers
        self.agents = Agents(Path(options.results), board.rstrip("/"))
        self.run_description = Run(
            board=board.rstrip("/"),
            profile_name=profile.name,
            count=options.agents or profile.agents,
            seconds=options.seconds or profile.seconds,
            interval=options.every or profile.interval,
            workers=options.workers,
            seed=options.seed,
            agents=str(self.agents.file.resolve()),
            records=str(self.folder / "records.json"),
            fault=options.fault,
            repair=options.repair,
            expose=options.expose,
        )

    def run(self) -> int:
        """Prepare, load, verify, judge and report. Raises InvalidRun."""
        run = self.run_description
        run.check_commands()
        self.folder.mkdir(parents=True, mode=0o700)
        asyncio.run(self.prepare())
        self.servers.start()
        try:
            self.locust()
        finally:
            self.servers.stop()
        ledger, measurements = self.records()
        check_schedule(ledger, self.options.late)
        print("Comparing the board with what it acknowledged.", flush=True)
        findings = asyncio.run(self.verify(ledger))
        return self.report(measurements, judge(measurements, run.profile, ledger, findings), ledger, findings)

    async def prepare(self) -> None:
        run = self.run_description
        async with open_board(run.board) as board:
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
        command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--only-summary", "--loglevel", "INFO"]
        command += ["--html", str(self.folder / "report.html"), "--stop-timeout", str(STOP_SECONDS)]
        command += ["--autostart", "--autoquit", "3"] if self.options.web else ["--headless"]
        command += self.workers()
        environment = {**os.environ, "LOADTEST_RUN": run.to_json(), "PYTHONPATH": str(CHECKOUT)}
        log = self.folder / "locust.txt"
        with log.open("w") as file:
            done = subprocess.run(command, env=environment, cwd=CHECKOUT, stderr=file, check=False)
        if not Path(run.records).exists():
            raise InvalidRun(f"Locust ended with exit code {done.returncode} and left no records; see {log}.")

    def workers(self) -> list[str]:
        """Return Locust's options for further processes: of its own, or those that wait elsewhere (worker.py)."""
        run = self.run_description
        if self.options.remote_workers:
            worker.announce(Path(self.options.results), run)
            wait = ["--expect-workers-max-wait", str(WORKERS_SECONDS)]
            return ["--master", "--expect-workers", str(run.workers), *wait]
        return ["--processes", str(run.workers)] if run.workers > 1 else []

    def records(self) -> tuple[Ledger, Measurements]:
        records = json.loads(Path(self.run_description.records).read_text())
        ledger, measurements = Ledger(), Measurements()
        ledger.extend(records["ledger"])
        measurements.extend(records["measurements"])
        if not measurements.operations():
            raise InvalidRun("No call was measured: the run ended during its warm-up.")
        return ledger, measurements

    async def verify(self, ledger: Ledger) -> Findings:
        async with open_board(self.run_description.board) as board:
            return await Verification(board, ledger, self.agents.known).check()

    def report(self, measurements: Measurements, gates: list[Gate], ledger: Ledger, findings: Findings) -> int:
        """Print and write the result; return the exit code."""
        run = self.run_description
        gates += count_gates(measurements, self.servers) + (growth_gates(self.servers) if run.profile.steady else [])
        print(result.table(measurements, gates, self.servers))
        for operation, sentence in ledger["wrong"][:10]:
            print(f"wrong: {operation}: {sentence}")
        for name, found in findings.violations.items():
            print("".join(f"{name}: {one}\n" for one in found[:10]), end="")
        if run.profile.stops_when_broken:
            print(result.last_that_held(run.profile, gates, run.count))
        text = result.machine_readable(run.profile, run.count, measurements, gates, self.servers)
        (self.folder / "result.json").write_text(text)
        print(f"{findings.posts} acknowledged posts were compared. Report: {self.folder / 'report.html'}")
        return 0 if all(gate.holds for gate in gates) else 1


def check_schedule(ledger: Ledger, tolerance: float) -> None:
    """Raise InvalidRun when the loader itself could not keep its schedule. `tolerance` is in seconds."""
    late = [seconds for (seconds,) in ledger["late"]]
    share = sum(seconds > tolerance for seconds in late) / max(len(late), 1)
    if share > LATE_SHARE:
        raise InvalidRun(
            f"The loader started {share:.0%} of the visits more than {tolerance:g} s late: use a faster machine, more "
            "processes (--workers) or fewer agents."
        )


def count_gates(measurements: Measurements, servers: Servers) -> list[Gate]:
    """Return the gate that client and servers agree on the number of calls, where both are known."""
    counted = servers.requests()
    if counted is None:
        return []
    sent = measurements.sent()
    holds = abs(counted - sent) <= max(COUNT_TOLERANCE * sent, 5)
    return [Gate("calls counted by client and servers", "whole run", f"{sent} and {counted}", "1 % apart", holds)]


def growth_gates(servers: Servers) -> list[Gate]:
    """Return the gates that no process grows from the second quarter of the run to its end."""
    return [
        Gate(f"growth of {gauge}", name, f"{share:.0%}", f"{GROWTH_SHARE:.0%}", share <= GROWTH_SHARE)
        for gauge in GAUGES.values()
        if gauge != "CPU seconds"
        for name, share in sorted(servers.growth(gauge).items())
    ]


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    known = "\n".join(f"  {name:<8} {profile.purpose}" for name, profile in profiles.PROFILES.items())
    parser = argparse.ArgumentParser(
        prog="python -m loadtests",
        description="Put load on a board, as agents do, and report whether the board holds its objectives.",
        epilog=f"profiles:\n{known}\n\nExit status: 0 every gate holds; 1 a gate is broken; 2 the run is invalid.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--profile", default="smoke", help="the kind of run (smoke)")
    parser.add_argument("--board", help="the board's address; by default the one of make run, started if necessary")
    parser.add_argument("--agents", type=positive, help="how many agents visit (set by the profile)")
    parser.add_argument("--seconds", type=positive, help="the measured time (set by the profile)")
    parser.add_argument("--every", type=positive, metavar="SECONDS", help="time between an agent's visits (by profile)")
    parser.add_argument("--late", type=float, default=0.1, metavar="SECONDS", help="how late a visit may start (0.1)")
    parser.add_argument("--workers", type=positive, default=1, help="Locust processes that share the load (1)")
    parser.add_argument("--remote-workers", action="store_true", help="wait for workers that run elsewhere")
    parser.add_argument("--expose", type=int, default=0, metavar="PORT", help="serve the loader's own metrics there")
    parser.add_argument("--seed", type=int, default=1, help="where the untrusted text and all choices come from (1)")
    parser.add_argument(
        "--results", default=".local/loadtests", help="folder for results and agents (.local/loadtests)"
    )
    parser.add_argument("--metrics", action="append", default=[], metavar="NAME=URL", help="an operator port to sample")
    parser.add_argument(
        "--fault", default="", metavar="COMMAND", help="what the profile faults runs to break something"
    )
    parser.add_argument("--repair", default="", metavar="COMMAND", help="what it runs 30 s later to end the fault")
    parser.add_argument("--web", action="store_true", help="serve Locust's own page on port 8089 during the run")
    return parser


def positive(text: str) -> int:
    """Parse a positive whole number."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a positive whole number")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())

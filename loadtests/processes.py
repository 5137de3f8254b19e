"""The CPU time of each part of a board on this machine, PostgreSQL and Valkey included, and that of the loader."""

import os
import threading
import time
from collections import defaultdict
from typing import Final

import psutil

EVERY_SECONDS: Final = 1.0
PROGRAMS: Final = {"postgres": "postgresql", "valkey-server": "valkey"}
LOADER: Final = "loader"
MACHINE: Final = "machine"


class Processes:
    """Samples the processes below `pid`, which is that of make run, until stopped.

    With None, the board is elsewhere, and only the loader and its machine are known.
    """

    def __init__(self, pid: int | None) -> None:
        self.pid = pid
        self.samples: list[tuple[float, dict[str, float]]] = []
        self.parts: dict[psutil.Process, str] = {}
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, name="processes", daemon=True)

    def start(self) -> None:
        """Go on in the background."""
        self.thread.start()

    def stop(self) -> None:
        """End the samples."""
        self.stopped.set()
        self.thread.join()

    def run(self) -> None:
        while not self.stopped.wait(EVERY_SECONDS):
            self.samples.append((time.perf_counter(), self.seconds(self.pid)))

    def seconds(self, pid: int | None) -> dict[str, float]:
        """Return the CPU seconds of each part until now."""
        board = set() if pid is None else tree(pid)
        found: defaultdict[str, float] = defaultdict(float)
        for process in board | tree(os.getpid()):
            try:
                if process not in self.parts:
                    self.parts[process] = part_of(process) if process in board else LOADER
                found[self.parts[process]] += sum(process.cpu_times()[:4])
            except psutil.Error:
                continue
        machine = psutil.cpu_times()
        found[MACHINE] = machine.user + machine.system
        return found

    def used(self, since: float) -> dict[str, float]:
        """Return the CPU seconds of each part from a moment of time.perf_counter to the last sample."""
        samples = [seconds for at, seconds in self.samples if at >= since]
        return {part: samples[-1][part] - samples[0].get(part, 0.0) for part in sorted(samples[-1])} if samples else {}

    def mean_cores(self, since: float) -> dict[str, float]:
        """Return how many cores each part used on average from a moment of time.perf_counter on."""
        moments = [at for at, _ in self.samples if at >= since]
        seconds = moments[-1] - moments[0] if moments else 0.0
        return {part: used / seconds for part, used in self.used(since).items()} if seconds else {}


def tree(pid: int) -> set[psutil.Process]:
    """Return a process and all processes below it; none if it has ended."""
    try:
        process = psutil.Process(pid)
        return {process, *process.children(recursive=True)}
    except psutil.Error:
        return set()


def part_of(process: psutil.Process) -> str:
    """Return the name of the part that a process of make run belongs to."""
    if process.name() in PROGRAMS:
        return PROGRAMS[process.name()]
    modules = [argument for argument in process.cmdline() if argument.startswith("services.")]
    return modules[0].removeprefix("services.") if modules else "make run"

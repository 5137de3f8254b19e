"""The run as Locust sees it: users by the profile's mix, their number over time, and the records of the workers.

`python -m loadtests` starts it, with the run's description in the environment variable LOADTEST_RUN.
"""

import json
import os
from collections import deque
from pathlib import Path
from typing import Any, Final

import gevent
from locust import LoadTestShape, events
from locust.env import Environment
from locust.runners import WorkerRunner

from loadtests.agents import Agent
from loadtests.gates import judged, objective_gates
from loadtests.journeys import JOURNEYS
from loadtests.load import Load
from loadtests.profiles import WATCHER
from loadtests.run import Run
from loadtests.schedule import LATE_SHARE, late_visits

RUN: Final = Run.from_json(os.environ["LOADTEST_RUN"])
LOAD: Final = Load(RUN.profile, deque(), RUN.seed)
PROGRESS_SECONDS: Final = 5
# Locust finds the user classes of a locustfile among its global names.
for name, share in RUN.profile.mix.items():
    JOURNEYS[name].weight = round(share * 1000)
    globals()[name] = JOURNEYS[name]
del name
JOURNEYS[WATCHER].fixed_count = 1
globals()[WATCHER] = JOURNEYS[WATCHER]


class Shape(LoadTestShape):
    """The number of users at each second of the run."""

    def tick(self) -> tuple[int, float] | None:
        if LOAD.began == 0:
            return RUN.users(RUN.profile.segments[0].active), RUN.profile.spawned_per_second
        second = LOAD.second()
        segment = RUN.profile.segment_at(second)
        if second > RUN.profile.seconds or self.broken(RUN.profile.complete_at(second)):
            return None
        return RUN.users(RUN.profile.segments[max(segment, 0)].active), RUN.profile.spawned_per_second

    def broken(self, segment: int) -> bool:
        """Return whether this segment shows that a ramp has reached the limit of board or loader."""
        if not RUN.profile.stops_when_broken or segment < 0:
            return False
        late = judged(*late_visits(LOAD.ledger, RUN.late, segment), LATE_SHARE) is False
        return late or any(gate.is_broken for gate in objective_gates(LOAD.measurements.operations(segment), ""))


@events.init.add_listener
def share_load(environment: Environment, **_: Any) -> None:
    """Give all users of this process their common state."""
    environment.load = LOAD  # type: ignore[attr-defined]
    for user in JOURNEYS.values():
        user.host = RUN.board


@events.init.add_listener
def show_progress(environment: Environment, **_: Any) -> None:
    """Print a line every few seconds, from the process that knows the whole."""
    if not isinstance(environment.runner, WorkerRunner):
        gevent.spawn(print_progress, environment)


def print_progress(environment: Environment) -> None:
    while True:
        gevent.sleep(PROGRESS_SECONDS)
        if LOAD.began and environment.runner is not None:
            total = environment.stats.total
            second = LOAD.second()
            where = RUN.profile.segments[RUN.profile.segment_at(second)].name if second >= 0 else "warm-up"
            line = (
                f"{second:6.0f} s  {where:<10} {environment.runner.user_count:6} users {total.current_rps:8.1f} calls/s"
            )
            print(f"{line} {total.num_failures:6} failed", flush=True)


@events.test_start.add_listener
def take_agents(environment: Environment, **_: Any) -> None:
    """Take this worker's part of the agents, and begin the warm-up."""
    runner = environment.runner
    part, parts = (runner.worker_index, RUN.workers) if isinstance(runner, WorkerRunner) else (0, 1)
    agents = json.loads(Path(RUN.agents).read_text())
    LOAD.agents.extend(Agent(**agent) for agent in agents[part : RUN.agents_needed() : parts])
    LOAD.start()


@events.report_to_master.add_listener
def send_records(data: dict[str, Any], **_: Any) -> None:
    data["ledger"], data["measurements"] = LOAD.ledger.drain(), LOAD.measurements.drain()


@events.worker_report.add_listener
def keep_records(data: dict[str, Any], **_: Any) -> None:
    LOAD.ledger.extend(data["ledger"])
    LOAD.measurements.extend(data["measurements"])


@events.quitting.add_listener
def write_records(environment: Environment, **_: Any) -> None:
    """Leave the records to the program that started Locust, and let it decide about the exit code."""
    if isinstance(environment.runner, WorkerRunner):
        return
    began = LOAD.began + LOAD.profile.warm_up
    records = {"ledger": LOAD.ledger.drain(), "measurements": LOAD.measurements.drain(), "began": began}
    Path(RUN.records).write_text(json.dumps(records))
    environment.process_exit_code = 0

"""`python -m benchmarks.visits`: makes visits with the journeys of the load tests, at planned moments.

A process of its own, because Locust replaces the sockets of its process by those of gevent. It reads a task from the
first line of its input, writes a line when it is ready, begins with the second line, and writes the counts.
"""

import json
import sys
import time
from collections import deque
from dataclasses import replace
from typing import Any

import gevent
from locust.env import Environment

from loadtests.agents import Agent
from loadtests.journeys import JOURNEYS
from loadtests.load import Load
from loadtests.profiles.steady import PROFILE

FOLLOWED = 100


def main() -> None:
    """Make the visits of one task."""
    task = json.loads(sys.stdin.readline())
    agents = deque(Agent(name, token, []) for name, token in task["agents"])
    load = Load(replace(PROFILE, warm_up=0), agents, task["seed"], communities=task["communities"])
    environment: Any = Environment()
    environment.load = load
    for journey in JOURNEYS.values():
        journey.host = task["board"]
    print("ready", flush=True)
    sys.stdin.readline()
    load.start()
    gevent.joinall([gevent.spawn(visit_at, load.began + n / task["rate"], environment, name, task["newest"])
                    for n, name in enumerate(task["journeys"])], raise_error=True)  # fmt: skip
    operations = load.measurements.operations()
    faults = [f"{name}: {fault} ({n})" for name, part in operations.items() for fault, n in part.faults.items()]
    failed = sum(part.faults.total() for part in operations.values())
    calls = sum(part.calls for part in operations.values())
    print(json.dumps({"calls": calls, "failed": failed, "faults": faults, "seconds": load.second()}))


def visit_at(moment: float, environment: Any, journey: str, newest: int) -> None:
    """Make one visit at a moment of time.perf_counter, over a connection of its own.

    The length of a follower's visit depends on how much the whole board publishes, so each reads only some 100 posts.
    """
    gevent.sleep(max(0.0, moment - time.perf_counter()))
    user = JOURNEYS[journey](environment)
    user.on_start()
    user.cursor = newest - FOLLOWED if journey == "follower" else 0
    user.session.begin(moment)
    user.visit()
    user.on_stop()
    user.client.client.clientpool.close()


if __name__ == "__main__":
    main()

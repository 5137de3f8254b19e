"""Planned work holds back the alerts that it causes, in Alertmanager.

Only alerts about what the work has touched are held back, while it lasts and for as long afterwards as their rules look
back. A command that is killed extends its silences no more, so that the alerts come later.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack

CHANGING: Final = ("up", "scale", "roll", "upgrade", "restore", "drop-ballast")
"""The commands that replace, stop or start containers. `make down` stops Alertmanager, too."""
LOOK_SECONDS: Final = 5.0
EXTENDED_SECONDS: Final = 60.0

MINUTE: Final = 60
# One more minute for scrapes and evaluations.
SHORT, RESTARTS, FAST, SLOW = (minutes * MINUTE for minutes in (6, 31, 31, 361))
OF_REPLICAS: Final = {"ProcessDown": SHORT, "ProcessRestarts": RESTARTS}
"""Alerts that name a replica, with how long a silence must last after the work, in seconds."""
OF_JOBS: Final = {"NoProcessUp": SHORT, "ReplicasMissing": SHORT}
"""Alerts that name a kind of process."""
SERVING: Final = {
    "ApiUnavailable": SHORT, "BoardUnreachable": SHORT, "HAProxyErrors": SHORT, "HAProxyNoServer": SHORT,
    "HAProxyServerDown": SHORT, "MemoryForgotten": SHORT, "AvailabilityBudgetBurnsFast": FAST,
    "AvailabilityBudgetBurnsSlowly": SLOW, "ReadLatencyBudgetBurnsFast": FAST, "ReadLatencyBudgetBurnsSlowly": SLOW,
    "WriteLatencyBudgetBurnsFast": FAST, "WriteLatencyBudgetBurnsSlowly": SLOW,
}  # fmt: skip
LIMITING: Final = {
    "LimiterAway": SHORT, "LimiterAvailabilityBudgetBurnsFast": FAST, "LimiterAvailabilityBudgetBurnsSlowly": SLOW,
}  # fmt: skip
DELIVERING: Final = {
    "CheckpointLate": SHORT, "FanoutBacklogOld": SHORT, "FanoutFailing": SHORT, "FanoutPartitionStuck": SHORT,
    "PartitionsNotHeld": SHORT, "SearchIndexBehind": SHORT, "SearchIndexFailing": SHORT,
    "InboxFreshnessBudgetBurnsFast": FAST, "InboxFreshnessBudgetBurnsSlowly": SLOW,
}  # fmt: skip
STORING: Final = {
    **SERVING, **DELIVERING, "BatchUnfinished": SHORT, "DatabaseAway": SHORT,
    "PoolExhausted": SHORT, "PostgreSQLLongTransaction": SHORT, "WriteQueueFilling": SHORT,
}  # fmt: skip
EFFECTS: Final[Mapping[str, Mapping[str, int]]] = {
    "api": SERVING,
    "haproxy": SERVING,
    "limiter": LIMITING,
    "valkey": {**LIMITING, "RedisAway": SHORT},
    "fanout": DELIVERING,
    "postgresql": STORING,
    "backup": {"BackupServiceAway": SHORT},
}
"""Further alerts that work on a service causes; they name none of its replicas."""
PROCESSES: Final = ("api", "limiter", "fanout", "haproxy")
Silences = dict[tuple[str, ...], int]
"""Matchers of alerts, and how many seconds after the work their silence ends."""


class Work:
    """A command that changes the stack, what it has touched so far, and the silences for that."""

    def __init__(self, stack: Stack, command: str) -> None:
        self.stack = stack
        self.command = command
        self.before = {each.id: each for each in stack.containers()}
        self.touched: dict[str, str] = {}
        self.silences: dict[tuple[str, ...], str] = {}
        self.extended = datetime.now(UTC)

    def look(self, over: bool = False) -> None:
        """Silence what was touched by now. Extend the silences, once a minute and when the work is over."""
        self.touched |= touched(self.before, self.stack.containers())
        wanted = silences(self.touched)
        due = over or (datetime.now(UTC) - self.extended).total_seconds() >= EXTENDED_SECONDS
        for matchers, seconds in wanted.items():
            if matchers not in self.silences:
                self.add(matchers, seconds)
            elif due:
                amtool(self.stack, "silence", "update", f"--end={after(seconds)}", self.silences[matchers])
        if due:
            self.extended = datetime.now(UTC)
        # Wider ones have taken their place.
        self.expire(self.silences.keys() - wanted.keys())

    def add(self, matchers: tuple[str, ...], seconds: int) -> None:
        words = (f"--author=make {self.command}", f"--comment=make {self.command}", f"--end={after(seconds)}")
        if silence := amtool(self.stack, "silence", "add", *words, *matchers):
            self.silences[matchers] = silence

    def expire(self, which: Iterable[tuple[str, ...]]) -> None:
        for matchers in list(which):
            amtool(self.stack, "silence", "expire", self.silences.pop(matchers))


@contextmanager
def planned(stack: Stack, command: str) -> Iterator[None]:
    """Hold back what a command causes. If it fails, its alerts come at once."""
    work = begun(stack, command)
    if work is None:
        yield
        return
    over = threading.Event()
    looking = threading.Thread(target=look, args=(work, over), daemon=True)
    looking.start()
    try:
        yield
    except BaseException:
        over.set()
        looking.join()
        work.expire(work.silences)
        raise
    over.set()
    looking.join()
    with suppress(StackError):
        work.look(over=True)


def begun(stack: Stack, command: str) -> Work | None:
    """Return the work that a command begins; None if it changes nothing, or if the engine does not answer."""
    if command in CHANGING:
        with suppress(StackError):
            return Work(stack, command)
    return None


def look(work: Work, over: threading.Event) -> None:
    while not over.wait(LOOK_SECONDS):
        # The engine may be busy with the work.
        with suppress(StackError):
            work.look()


def touched(before: Mapping[str, Container], now: Iterable[Container]) -> dict[str, str]:
    """Return the names of the containers that were made, removed, started or stopped, each with its service.

    The engine itself restarts one that crashes: that is no planned work.
    """
    after = {each.id: each for each in now}
    changed = [each for number, each in {**before, **after}.items() if (number in before) != (number in after)]
    changed += [each for number, each in after.items() if number in before and was_changed(before[number], each)]
    return {each.name: each.service for each in changed}


def was_changed(before: Container, now: Container) -> bool:
    stopped = before.status == "running" and now.status == "exited"
    return stopped or (before.started != now.started and now.restarts <= before.restarts)


def silences(touched: Mapping[str, str]) -> Silences:
    """Return the silences for containers of these names and services."""
    services = {*touched.values()}
    found: Silences = {}
    names = [name for name, service in touched.items() if service in PROCESSES]
    # The load balancer has its address in the place of a name.
    names += [f"{service}:[0-9]+" for service in services & {"haproxy"}]
    jobs = sorted(services & {*PROCESSES})
    effects = {name: seconds for service in services for name, seconds in EFFECTS.get(service, {}).items()}
    for alerts, label, values in ((OF_REPLICAS, "instance", sorted(names)), (OF_JOBS, "job", jobs), (effects, "", [])):
        for seconds in sorted({*alerts.values()}) if values or not label else ():
            these = "|".join(sorted(name for name, each in alerts.items() if each == seconds))
            found[(f'alertname=~"{these}"', *([f'{label}=~"{"|".join(values)}"'] if label else []))] = seconds
    return found


def after(seconds: int) -> str:
    return f"{datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"


def amtool(stack: Stack, *arguments: str) -> str:
    """Run Alertmanager's client; return its output, or nothing if it fails, which must not stop the work."""
    with suppress(StackError):
        for each in stack.containers():
            if each.service == "alertmanager" and each.status == "running":
                address = "--alertmanager.url=http://127.0.0.1:9093"
                return stack.docker("exec", each.id, "amtool", address, *arguments).strip()
    return ""

"""Planned work holds back the alerts that it causes and no others, in a real Alertmanager."""

import json
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import __main__ as commands
from deploy.compose import silences
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.silences import EFFECTS, OF_JOBS, OF_REPLICAS, SHORT, touched
from deploy.compose.stack import Container, Stack
from tests.observability.alerting import alertmanager
from tests.observability.expressions import alerts
from tests.observability.programs import Program, run
from tests.waiting import wait_until

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
# Scrapes and evaluations may add that.
LATE_SECONDS = 30
NOW = datetime.now(UTC)
UNTOUCHED = Container(
    id="a", name="board-api-1", service="api", status="running", health="healthy", exit_code=0, restarts=0,
    out_of_memory=False, started=NOW - timedelta(hours=1),
)  # fmt: skip
ALL = {**OF_REPLICAS, **OF_JOBS, **{name: seconds for each in EFFECTS.values() for name, seconds in each.items()}}


def container(name: str, number: str = "", **state: Any) -> Container:
    service = name.removeprefix("board-").rpartition("-")[0]
    return replace(UNTOUCHED, id=number or name, name=name, service=service, **state)


def looks_back(expression: str) -> int:
    """Return for how many seconds an event that is over can keep the condition of an alert.

    Each alternative of an objective's burn rate needs its short window, too.
    """
    found = [
        [int(count) * SECONDS[unit] for count, unit in re.findall(r"[:[](\d+)([smhd])(?=[\]{:])", part)]
        for part in re.split(r"\bor\b", expression)
    ]
    narrow = min if "slo:burn_rate" in expression else max
    return max((narrow(each) for each in found if each), default=0)


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_silence_lasts_as_long_as_the_rule_looks_back(name: str) -> None:
    rule = alerts()[name]
    assert ALL[name] >= looks_back(rule["expr"]) + LATE_SECONDS
    # no longer than that and a few minutes
    assert ALL[name] <= max(looks_back(rule["expr"]) + 2 * 60, SHORT)


def test_how_far_a_rule_looks_back_is_read_as_prometheus_reads_it() -> None:
    looked = {name: looks_back(alerts()[name]["expr"]) for name in ("ProcessRestarts", "ApiUnavailable", "ProcessDown")}
    assert looked == {"ProcessRestarts": 1800, "ApiUnavailable": 60, "ProcessDown": 0}
    assert looks_back(alerts()["AvailabilityBudgetBurnsFast"]["expr"]) == 1800
    assert looks_back(alerts()["AvailabilityBudgetBurnsSlowly"]["expr"]) == 6 * 3600


def test_the_commands_that_change_the_stack_are_planned_work() -> None:
    reading = {"secrets", "down", "logs", "backup", "backups", "export", "drill", "doctor"}
    assert {*silences.CHANGING} == commands.COMMANDS.keys() - reading


def test_only_containers_that_a_command_changed_count_as_touched() -> None:
    before = {
        each.id: each for each in (container("board-api-1"), container("board-api-2"), container("board-fanout-1"))
    }
    again = NOW + timedelta(seconds=1)
    assert touched(before, before.values()) == {}
    # the engine restarts one that has crashed
    crashed = container("board-api-1", started=again, restarts=1)
    assert touched(before, [crashed, before["board-api-2"], before["board-fanout-1"]]) == {}
    crashing = container("board-api-1", status="restarting", restarts=1)
    assert touched(before, [crashing, before["board-api-2"], before["board-fanout-1"]]) == {}
    told = [
        container("board-api-1", started=again),
        container("board-api-2", "new"),
        container("board-fanout-1", status="exited"),
    ]
    assert touched(before, told) == {"board-api-1": "api", "board-api-2": "api", "board-fanout-1": "fanout"}
    assert touched(before, [before["board-api-1"], before["board-api-2"]]) == {"board-fanout-1": "fanout"}


class Watched(Stack):
    """A stack with these containers, whose Alertmanager is the test's."""

    def __init__(self, server: Program, folder: Path, *containers: Container) -> None:
        super().__init__(Configuration({"ENV_FILE": str(folder / ".env")}))
        self.server = server
        self.found = [*containers, container("board-alertmanager-1")]

    def containers(self, *_: str) -> list[Container]:
        return list(self.found)

    def docker(self, *arguments: str, **_: Any) -> str:
        assert arguments[:3] == ("exec", "board-alertmanager-1", "amtool")
        done = run("amtool", f"--alertmanager.url={self.server.url}", *arguments[4:])
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def replaced(self, name: str, again: str = "again") -> None:
        """Put another container in the place of one."""
        self.found = [replace(each, id=again) if each.name == name else each for each in self.found]


FIRED = (
    {"alertname": "ProcessRestarts", "job": "api", "instance": "board-api-1"},
    {"alertname": "ProcessRestarts", "job": "api", "instance": "board-api-2"},
    {"alertname": "ProcessRestarts", "job": "fanout", "instance": "board-fanout-1"},
    {"alertname": "ReplicasMissing", "job": "api"},
    {"alertname": "ReplicasMissing", "job": "fanout"},
    {"alertname": "BoardUnreachable"},
    {"alertname": "FanoutFailing", "instance": "board-fanout-1"},
    {"alertname": "DatabaseAway"},
    {"alertname": "ReceiptMismatch", "instance": "board-api-1"},
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Program]:
    with alertmanager(tmp_path, "http://127.0.0.1:1/") as server:
        call(server, "alerts", [{"labels": labels} for labels in FIRED])
        yield server


def call(server: Program, what: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}/api/v2/{what}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or b"null")


def held_back(server: Program) -> set[str]:
    """Return the alerts that are silenced, by name and subject."""
    found = [each for each in call(server, "alerts") if each["status"]["silencedBy"]]
    return {
        " ".join(each["labels"].get(name, "") for name in ("alertname", "job", "instance")).strip() for each in found
    }


def ends(server: Program) -> dict[str, float]:
    """Return in how many minutes the silence of each alert ends."""
    found = {each["id"]: datetime.fromisoformat(each["endsAt"]) for each in call(server, "silences")}
    return {
        each["labels"]["alertname"]: max((found[one] - datetime.now(UTC)).total_seconds() / 60 for one in silenced)
        for each in call(server, "alerts")
        if (silenced := each["status"]["silencedBy"])
    }


OF_THE_FIRST_API = {"ProcessRestarts api board-api-1", "ReplicasMissing api", "BoardUnreachable"}


def test_only_what_was_touched_is_silenced_and_until_the_rules_look_back_no_further(
    server: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silences, "LOOK_SECONDS", 0.1)
    stack = Watched(server, tmp_path, *map(container, ("board-api-1", "board-api-2", "board-fanout-1")))
    with silences.planned(stack, "up"):
        assert held_back(server) == set()
        stack.replaced("board-api-1")
        wait_until(lambda: held_back(server) == OF_THE_FIRST_API)
        stack.replaced("board-fanout-1")
    assert held_back(server) == {
        *OF_THE_FIRST_API, "ProcessRestarts fanout board-fanout-1", "ReplicasMissing fanout",
        "FanoutFailing  board-fanout-1",
    }  # fmt: skip
    left = ends(server)
    assert 30 <= left["ProcessRestarts"] <= 31
    assert 5 <= left["ReplicasMissing"] <= 6
    # silences that wider ones have replaced are over
    assert sum(each["status"]["state"] == "active" for each in call(server, "silences")) == len(
        silences.silences({"board-api-1": "api", "board-fanout-1": "fanout"})
    )


@pytest.mark.parametrize("command", ["up", "doctor"])
def test_work_that_touches_nothing_or_fails_silences_nothing(
    server: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(silences, "LOOK_SECONDS", 0.1)
    stack = Watched(server, tmp_path, *map(container, ("board-api-1", "board-postgresql-1")))
    with silences.planned(stack, command):
        pass
    assert held_back(server) == set()

    def fail() -> None:
        with silences.planned(stack, command):
            stack.replaced("board-postgresql-1", command)
            if command in silences.CHANGING:
                wait_until(lambda: "DatabaseAway" in held_back(server))
            raise StackError("it failed")

    with pytest.raises(StackError, match="it failed"):
        fail()
    assert held_back(server) == set()


def test_every_service_of_the_board_has_the_effects_that_its_restart_causes() -> None:
    found = {name for matchers in silences.silences({"p": "postgresql", "h": "haproxy"}) for name in matchers}
    assert 'instance=~"h|haproxy:[0-9]+"' in found
    assert any("DatabaseAway" in each and "BoardUnreachable" in each for each in found)
    assert silences.silences({"m": "migrate", "g": "grafana"}) == {}

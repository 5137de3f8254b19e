"""What the commands do with the three servers of patroni.yaml, from what Patroni and the engine report."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.compose import cluster, disk, drills, waiting
from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError
from deploy.compose.secret_files import make_secrets
from deploy.compose.servers import ETCD, SERVERS, reachable, servers, volume
from deploy.compose.stack import Container, Stack
from services.board.database.primary import single_hosts

Report = list[dict[str, str]]


def member(name: str, role: str = "Quorum Standby", state: str = "streaming", restart: str = "") -> dict[str, str]:
    return {"Member": name, "Role": role, "State": state, "Pending restart": restart}


def container(service: str, status: str = "running", health: str = "healthy") -> Container:
    return Container(service, service, service, status, health, 0, 0, out_of_memory=False, started=datetime.now(UTC))


COMPLETE = [member("postgresql"), member("postgresql2", "Leader", "running"), member("postgresql3")]


class Engine:
    """Patroni's report, the containers of the servers, and the commands that were run."""

    def __init__(self) -> None:
        self.report: Report = COMPLETE
        self.containers = [container(each) for each in (*ETCD, *SERVERS)]
        self.done: list[str] = []
        self.connections = "200"

    def ask(self, *command: str, seconds: float = 60) -> str:
        if "list" in command:
            return json.dumps(self.report)
        if "SHOW max_connections" in command[-1]:
            return self.connections
        self.done.append(" ".join(command))
        return ""

    def compose(self, *command: str) -> None:
        self.done.append(" ".join(command))


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def stack(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Stack:
    settings = {"ENV_FILE": str(tmp_path / ".env"), "COMPOSE_FILE": "compose.yaml:patroni.yaml"}
    stack = Stack(Configuration({**settings, "SECRETS_DIR": str(tmp_path / "secrets")}))
    monkeypatch.setattr(stack, "ask", engine.ask)
    monkeypatch.setattr(stack, "compose", engine.compose)
    monkeypatch.setattr(stack, "containers", lambda *_: engine.containers)
    return stack


def alone(tmp_path: Path) -> Stack:
    """A stack with one server, and without an engine."""
    return Stack(Configuration({"ENV_FILE": str(tmp_path / ".env"), "PATH": ""}))


def test_the_addresses_name_each_server(tmp_path: Path) -> None:
    folders = {f"{name}_DIR": str(tmp_path / name) for name in ("SECRETS", "BACKUP", "METRICS", "ALERTMANAGER")}
    make_secrets(configuration := Configuration({"ENV_FILE": str(tmp_path / ".env"), **folders}))
    for name in ("database_url", "read_database_url"):
        one, three = ((configuration.path("SECRETS_DIR") / f"{each}{name}").read_text() for each in ("", "cluster_"))
        assert single_hosts(three.strip()) == [
            one.strip().replace("@postgresql:", f"@{each}:") + "?target_session_attrs=read-write" for each in SERVERS
        ]


def test_programs_of_postgresql_run_where_a_server_is_healthy(stack: Stack, engine: Engine, tmp_path: Path) -> None:
    engine.containers = [container("postgresql", "exited"), container("postgresql2", health="unhealthy")]
    assert reachable(stack) == "postgresql2"
    engine.containers.append(container("postgresql3"))
    assert reachable(stack) == "postgresql3"
    engine.containers = []
    assert reachable(stack) == reachable(alone(tmp_path)) == "postgresql"


@pytest.mark.parametrize("said", ["", "Error: Can not find suitable configuration"])
def test_a_single_server_that_settings_name_three_for_is_one_sentence(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr(stack, "ask", lambda *_, **__: said)
    with pytest.raises(StackError, match="but Patroni reports none; make up starts them"):
        cluster.check(stack)


def test_the_primary_is_replaced_last(stack: Stack, engine: Engine) -> None:
    cluster.roll(stack)
    replaced = [*ETCD, "postgresql", "postgresql3", "postgresql2"]
    assert engine.done[1:] == [f"up --detach --no-build --wait {each}" for each in replaced]
    # what does not run starts before another server stops
    engine.containers = [container("postgresql2"), container("postgresql3"), container("etcd2"), container("etcd3")]
    engine.done.clear()
    cluster.roll(stack)
    assert engine.done[1] == "up --detach --no-build etcd1 postgresql"


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (COMPLETE[:2], "postgresql3 is away."),
        ([*COMPLETE[:2], member("postgresql3", "Replica", "starting")], "postgresql3 is starting."),
        ([*COMPLETE[:2], member("postgresql3", "Replica")], "postgresql3 is streaming."),
        ([member(each, "Replica", "running") for each in SERVERS], "postgresql is running, postgresql2 is running"),
    ],
)
def test_the_doctor_names_the_servers_on_which_nobody_can_rely(
    stack: Stack, engine: Engine, report: Report, sentence: str
) -> None:
    cluster.check(stack)
    engine.report = report
    assert not cluster.is_complete(stack)
    with pytest.raises(StackError, match=f"Of the three servers of PostgreSQL, .*{sentence}"):
        cluster.check(stack)


def test_servers_restart_only_for_a_setting_that_has_changed(
    stack: Stack, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.configure(stack)
    assert [each.rpartition("=")[2] for each in engine.done] == ["200"]
    stack.configuration.environment["POSTGRES_MAX_CONNECTIONS"] = "300"
    waited: list[str] = []

    def until(done: Callable[[], bool], _: float, otherwise: str) -> None:
        if not done():
            # Patroni notices the change
            waited.append(otherwise)
            engine.report = [{**each, "Pending restart": "*"} for each in COMPLETE]

    monkeypatch.setattr(waiting, "until", until)
    cluster.configure(stack)
    assert "POSTGRES_MAX_CONNECTIONS" in waited[0]
    restarts = [each.split()[6] for each in engine.done if "patronictl restart" in each]
    assert restarts == ["postgresql", "postgresql3", "postgresql2"]


def test_a_restore_takes_place_where_the_primary_is(stack: Stack, engine: Engine) -> None:
    cluster.lead(stack)
    assert [each.partition("patronictl ")[2] for each in engine.done] == [
        "switchover agent-board --leader postgresql2 --candidate postgresql --force"
    ]
    engine.report = [member("postgresql", "Leader", "running"), member("postgresql2"), member("postgresql3")]
    cluster.lead(stack)
    assert len(engine.done) == 1


def test_a_stack_that_had_one_server_has_nothing_to_roll(stack: Stack, engine: Engine) -> None:
    engine.containers = [container("postgresql")]
    for act in (cluster.roll, cluster.configure, cluster.lead):
        act(stack)
    assert engine.done == []


def test_only_servers_that_have_stopped_are_copied_and_never_the_first(stack: Stack, engine: Engine) -> None:
    engine.containers = [container("postgresql", "exited"), container("postgresql2")]
    cluster.copy(stack)
    assert [each for each in engine.done if "rm -rf" in each] == [
        'run --rm --no-deps -T --entrypoint sh postgresql3 -c rm -rf "$PGDATA"'
    ]
    assert engine.done[1:] == ["up --detach --no-build postgresql3"]


def test_one_server_knows_nothing_of_this(tmp_path: Path) -> None:
    stack = alone(tmp_path)
    assert servers(stack.configuration) == ("postgresql",)
    for act in (cluster.roll, cluster.configure, cluster.lead, cluster.forget, cluster.copy, cluster.check):
        act(stack)


def test_a_drill_restores_one_server(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stack, "project", "board")
    assert drills.beside(stack).configuration["COMPOSE_FILE"] == "compose.yaml:drill.yaml"


def test_the_disk_of_each_server_is_looked_at(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [volume(each) for each in SERVERS] == ["POSTGRES_VOLUME", "POSTGRES_VOLUME_2", "POSTGRES_VOLUME_3"]
    free = {"postgresql": 9999, "postgresql2": 9999, "postgresql3": 100}
    monkeypatch.setattr(disk, "room", lambda _, server: disk.Room(server, free[server], has_ballast=True))
    with pytest.raises(StackError, match=r"^PostgreSQL's disk \(postgresql3\) has 100 MiB free"):
        disk.check(stack)


def test_etcd_is_hardened_as_everything_else() -> None:
    common: dict[str, Any] = yaml.safe_load((DIRECTORY / "compose.yaml").read_text())["x-hardened"]
    services: dict[str, Any] = yaml.safe_load((DIRECTORY / "patroni.yaml").read_text())["services"]
    for name in ETCD:
        assert {key: services[name][key] for key in common if key != "user"} == {
            key: value for key, value in common.items() if key != "user"
        }
        assert services[name]["user"] == "${RUN_AS_UID}:${RUN_AS_GID}"
        assert services[name]["networks"] == ["consensus"]
        assert "ports" not in services[name]

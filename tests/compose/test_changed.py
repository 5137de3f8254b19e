"""Containers of other images, settings or secrets than are given now are replaced, or named with the cost."""

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import changes, images, rolling, starting, trials, waiting
from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack

SERVICES = ("haproxy", "api", "limiter", "fanout", "migrate", "postgresql", "backup", "valkey", "mcp", "targets",
            "node-exporter", "grafana")  # fmt: skip


def container(service: str, **fields: Any) -> Container:
    found = Container(
        id=service, name=f"board-{service}-1", service=service, status="running", health="", exit_code=0, restarts=0,
        image="sha256:new", config_hash="1",
    )  # fmt: skip
    return replace(found, **fields)


class Running(Stack):
    """A stack in which each service has one container, as the settings describe it, except for those that are given."""

    def __init__(self, *others: Container) -> None:
        super().__init__(Configuration({"COMPOSE_FILE": "compose.yaml"}))
        self.found = {name: container(name) for name in SERVICES} | {each.service: each for each in others}
        self.calls: list[str] = []
        self.secrets: dict[str, Path] = {}
        self.seen = 0

    def described(self, *_: str) -> dict[str, Any]:
        files = {name: {"file": str(path)} for name, path in self.secrets.items()}
        services = {name: {"image": f"{name}:2", "secrets": [{"source": each} for each in files]} for name in SERVICES}
        services["migrate"]["restart"] = "no"
        return {"name": "board", "services": services, "secrets": files}

    def containers(self, *services: str) -> list[Container]:
        return [each for each in self.found.values() if not services or each.service in services]

    def ask(self, *arguments: str, seconds: float = 60) -> str:
        if arguments[0] == "exec" and "backup" in arguments:
            raise StackError("the lock is held")
        return "".join(f"{name} 1\n" for name in SERVICES)

    def compose(self, *arguments: str, **_: Any) -> None:
        self.calls.append(" ".join(arguments))

    def docker(self, *arguments: str, seconds: float = 60, errors: bool = False) -> str:
        if arguments[0] == "image":
            return "sha256:new\n"
        self.calls.append(" ".join(arguments))
        return f"{self.seen}\n"


def test_nothing_has_changed_in_a_stack_as_its_settings_describe_it() -> None:
    assert changes.changed(Running()) == set()
    assert rolling.left(set()) == ""


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("change", [{"image": "sha256:old"}, {"config_hash": "0"}])
def test_another_image_or_other_settings_of_any_service_are_found(service: str, change: dict[str, str]) -> None:
    assert changes.changed(Running(container(service, **change))) == {service}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text("first")
    return file


@pytest.mark.parametrize("is_in_place", [True, False])
def test_a_service_with_a_secret_from_before_is_found(secret: Path, is_in_place: bool) -> None:
    started = secret.stat().st_ctime
    stack = Running(container("api", started=started + 1), container("fanout", started=started - 1))
    stack.secrets = {"database_url": secret}
    assert {"api", "fanout"} & changes.changed(stack) == {"fanout"}
    # a time that an editor keeps does not matter
    new = secret if is_in_place else secret.with_name("new")
    new.write_text("second")
    os.utime(new, (0, 0))
    new.rename(secret)
    stack.found["api"] = container("api", started=secret.stat().st_ctime - 0.001)
    assert {"api", "fanout"} & changes.changed(stack) == {"api", "fanout"}


@pytest.mark.parametrize(("service", "name"), changes.READ_LIVE.items())
def test_what_reads_a_secret_while_it_runs_is_found_only_with_another_file(
    secret: Path, service: str, name: str
) -> None:
    stack = Running()
    stack.secrets = {name: secret, "postgres_password": secret}
    stack.seen = secret.stat().st_ino
    assert service not in changes.changed(stack)
    stack.seen += 1
    assert service in changes.changed(stack)


def test_a_certificate_that_is_not_given_is_never_new() -> None:
    stack = Running()
    stack.secrets = {"tls_certificate": Path("/dev/null")}
    assert changes.changed(stack) == set()


def test_what_is_left_is_named_with_its_command_and_cost() -> None:
    lines = rolling.left({"postgresql", "valkey", "backup", "haproxy"}).splitlines()[1:]
    assert lines == [
        f"  docker compose up --detach --no-build --force-recreate {name}    # {rolling.COSTS[name]}"
        for name in ("haproxy", "postgresql")
    ]


def test_a_changed_process_that_cannot_start_replaces_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = Running()
    tried: list[str] = []

    def check(_: Stack, services: Collection[str]) -> None:
        tried.extend(services)
        raise StackError("api cannot start")

    monkeypatch.setattr(trials, "check", check)
    with pytest.raises(StackError, match="api cannot start"):
        # the limiter could not log in to a Valkey that has its former password
        rolling.renew(stack, {"valkey", "limiter", "api", "backup"}, rolling.SERVICES)
    assert tried == ["api"]
    assert stack.calls == []


def test_valkey_is_replaced_before_the_limiter_needs_its_new_password(tmp_path: Path) -> None:
    stack = Running()
    stack.configuration.environment.update(LOGS_DIR=str(tmp_path), ENV_FILE=str(tmp_path / ".env"))
    rolling.replace_valkey(stack)
    assert [call.split()[0] for call in stack.calls] == ["stop", "logs", "rm", "up"]
    # the log of a replaced container should stay
    assert "board-valkey-1" in next(tmp_path.glob("*.log")).name


def test_a_backup_that_is_being_made_is_not_interrupted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stack = Running()
    stack.configuration.environment.update(LOGS_DIR=str(tmp_path), ENV_FILE=str(tmp_path / ".env"))
    rolling.replace_others(stack, {"backup", "grafana", "haproxy", "api", "migrate"})
    assert [call for call in stack.calls if call.startswith("rm")] == ["rm --volumes targets", "rm --volumes grafana"]
    start = next(call for call in stack.calls if call.startswith("up"))
    assert start.endswith("--no-recreate backup grafana node-exporter targets valkey")
    assert "The service backup makes a backup now" in capsys.readouterr().out


def test_a_start_begins_every_service_that_is_wanted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stack = Running()
    stack.configuration.environment.update(LOGS_DIR=str(tmp_path), ENV_FILE=str(tmp_path / ".env"))
    monkeypatch.setattr(waiting, "until_balanced", lambda *_: None)
    starting.start(stack)
    begun = {name for call in stack.calls if call.startswith("up") for name in call.split()}
    assert begun >= {*SERVICES}


@pytest.mark.parametrize("service", ["backup", "valkey"])
def test_only_what_the_board_needs_keeps_it_from_starting(
    service: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stack = Running(container(service, health="unhealthy"))
    stack.configuration.environment.update(LOGS_DIR=str(tmp_path), ENV_FILE=str(tmp_path / ".env"))

    def compose(*command: str, **_: Any) -> None:
        if service in command:
            raise StackError("docker compose up failed")

    monkeypatch.setattr(stack, "compose", compose)
    monkeypatch.setattr(waiting, "until_balanced", lambda *_: None)
    if service in images.NEEDED:
        with pytest.raises(StackError, match="up failed"):
            starting.start(stack)
    else:
        warning = f"Warning: the board serves, but not healthy: {service}. docker compose logs shows why."
        assert starting.start(stack) == warning


def test_every_service_is_replaced_or_has_a_cost() -> None:
    assert set(images.NEEDED) - {"migrate"} == {*rolling.COSTS, "valkey", "limiter", "api", "fanout"}
    assert {"limiter", "api", "fanout", "mcp"} == set(rolling.SERVICES)
    text = "".join(path.read_text() for path in DIRECTORY.glob("*.yaml"))
    assert [name for name in (*rolling.COSTS, *rolling.SERVICES) if f"\n  {name}:\n" not in text] == []

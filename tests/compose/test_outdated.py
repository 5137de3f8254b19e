"""Containers with another image or other settings than the configuration are replaced, or named with the cost."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from deploy.compose import doctor, images, outdated, rolling
from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack

SERVICES = ("haproxy", "api", "limiter", "fanout", "migrate", "postgresql", "backup", "valkey", "mcp", "targets",
            "node-exporter", "grafana")  # fmt: skip


def container(service: str, **fields: Any) -> Container:
    found = Container(
        id=service, name=f"board-{service}-1", service=service, status="running", health="", exit_code=0, restarts=0,
        out_of_memory=False, started=datetime.now(UTC), image="sha256:new", config_hash="1",
        compose="2.26.1",
    )  # fmt: skip
    return replace(found, **fields)


class Running(Stack):
    """A stack in which each service has one container, as the settings describe it, except for those that are given."""

    def __init__(self, *others: Container, files: str = "compose.yaml", here: str = "sha256:new") -> None:
        super().__init__(Configuration({"COMPOSE_FILE": files, "STOP_GRACE_PERIOD": "1s"}))
        self.found = {name: container(name) for name in SERVICES} | {each.service: each for each in others}
        self.here = here
        self.calls: list[str] = []
        self.dependencies: dict[str, Any] = {}

    def described(self) -> dict[str, Any]:
        return {"name": "board", "services": self.all_services()}

    def all_services(self) -> dict[str, Any]:
        return {name: {"image": f"{name}:2", "depends_on": self.dependencies} for name in SERVICES}

    def containers(self, *services: str) -> list[Container]:
        return [each for each in self.found.values() if not services or each.service in services]

    def ask(self, *arguments: str, seconds: float = 60) -> str:
        self.calls.append(" ".join(arguments))
        if arguments[0] == "exec" and "backup" in arguments:
            raise StackError("the lock is held")
        return "".join(f"{name} 1\n" for name in SERVICES)

    def compose_version(self) -> str:
        return "v2.26.1-4\n"

    def docker(self, *arguments: str, seconds: float = 60, errors: bool = False) -> str:
        self.calls.append(" ".join(arguments))
        if arguments[0] == "image" and not self.here:
            raise StackError("No such image")
        return f"{self.here}\n"


def test_nothing_is_reported_of_a_stack_as_its_settings_describe_it() -> None:
    stack = Running(container("migrate", image="sha256:old"))
    assert list(outdated.troubles(stack)) == []
    assert outdated.left(stack) == ""


def way(service: str) -> str:
    if service in outdated.COSTS:
        return f"make up replaces this service: {outdated.COSTS[service]}."
    return "make roll replaces this service,"


@pytest.mark.parametrize("service", [name for name in SERVICES if name != "migrate"])
def test_another_image_of_any_service_is_reported_with_command_and_cost(service: str) -> None:
    [said] = outdated.troubles(Running(container(service, image="sha256:old")))
    assert said.startswith(f"board-{service}-1 runs another image than {service}:2, which the settings name; ")
    assert way(service) in said


@pytest.mark.parametrize("service", [name for name in SERVICES if name != "migrate"])
def test_other_settings_of_any_service_are_reported_with_command_and_cost(service: str) -> None:
    [said] = outdated.troubles(Running(container(service, config_hash="0")))
    assert said.startswith(f"board-{service}-1 runs with other settings than .env gives now; ")
    assert way(service) in said


def test_settings_that_another_compose_described_are_not_reported() -> None:
    assert list(outdated.troubles(Running(container("api", config_hash="0", compose="2.40.3")))) == []


def test_settings_are_not_compared_if_a_dependency_is_optional() -> None:
    stack = Running(container("api", config_hash="0"))
    stack.dependencies = {"postgresql": {"condition": "service_healthy", "required": False}}
    assert list(outdated.troubles(stack)) == []


def test_an_image_that_is_not_here_is_obtained_by_an_upgrade() -> None:
    said = list(outdated.troubles(Running(here="")))
    assert len(said) == len(SERVICES) - 1
    assert [line for line in said if "make roll" in line] == []


def test_one_that_does_not_run_is_reported_by_others() -> None:
    assert list(outdated.troubles(Running(container("haproxy", image="sha256:old", status="exited")))) == []


@pytest.mark.parametrize("change", [{"image": "sha256:old"}, {"config_hash": "0"}])
def test_what_is_left_is_named_with_its_cost(change: dict[str, str]) -> None:
    stack = Running(*(container(name, **change) for name in ("postgresql", "valkey", "backup", "haproxy")))
    assert outdated.left(stack).splitlines()[1:] == [
        f"  {name}: {outdated.COSTS[name]}" for name in ("haproxy", "postgresql", "valkey")
    ]


def test_a_backup_that_is_being_made_is_not_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    renewed: list[str] = []

    def renew(_: Stack, service: str) -> list[str]:
        renewed.append(service)
        return []

    monkeypatch.setattr(rolling, "renew", renew)
    changed = [container(name, image="sha256:old") for name in SERVICES]
    rolling.replace_others(Running(*changed))
    assert renewed == ["grafana", "node-exporter", "targets"]
    assert "The service backup makes a backup now" in capsys.readouterr().out


def test_every_service_is_replaced_or_has_a_cost() -> None:
    assert set(images.NEEDED) - {"migrate"} == {*outdated.COSTS, "limiter", "api", "fanout"}
    assert {"limiter", "api", "fanout", "mcp"} == set(rolling.SERVICES)
    text = "".join(path.read_text() for path in DIRECTORY.glob("*.yaml"))
    assert [name for name in (*outdated.COSTS, *rolling.SERVICES) if f"\n  {name}:\n" not in text] == []


def test_the_doctor_names_a_container_that_no_file_describes() -> None:
    found = list(doctor.containers_troubles(Running(container("standby"))))
    assert found == ["board-standby-1 belongs to no service; docker rm --force board-standby-1 removes it."]

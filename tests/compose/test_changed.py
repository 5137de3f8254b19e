"""Containers of another image or of other settings than are given now are replaced, or named with the cost."""

from dataclasses import replace
from typing import Any

import pytest

from deploy.compose import images, rolling
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

    def described(self) -> dict[str, Any]:
        return {"name": "board", "services": self.all_services()}

    def all_services(self) -> dict[str, Any]:
        return {name: {"image": f"{name}:2"} for name in SERVICES}

    def containers(self, *services: str) -> list[Container]:
        return [each for each in self.found.values() if not services or each.service in services]

    def ask(self, *arguments: str, seconds: float = 60) -> str:
        if arguments[0] == "exec" and "backup" in arguments:
            raise StackError("the lock is held")
        return "".join(f"{name} 1\n" for name in SERVICES)

    def compose(self, *arguments: str, **_: Any) -> None:
        self.calls.append(" ".join(arguments))

    def docker(self, *arguments: str, seconds: float = 60, errors: bool = False) -> str:
        return "sha256:new\n"


def test_nothing_has_changed_in_a_stack_as_its_settings_describe_it() -> None:
    assert rolling.changed(Running()) == set()
    assert rolling.left(set()) == ""


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("change", [{"image": "sha256:old"}, {"config_hash": "0"}])
def test_another_image_or_other_settings_of_any_service_are_found(service: str, change: dict[str, str]) -> None:
    assert rolling.changed(Running(container(service, **change))) == {service}


def test_what_is_left_is_named_with_its_command_and_cost() -> None:
    lines = rolling.left({"postgresql", "valkey", "backup", "haproxy"}).splitlines()[1:]
    assert lines == [
        f"  docker compose up --detach --no-build {name}    # {rolling.COSTS[name]}"
        for name in ("haproxy", "postgresql", "valkey")
    ]


def test_a_backup_that_is_being_made_is_not_interrupted(capsys: pytest.CaptureFixture[str]) -> None:
    stack = Running()
    rolling.replace_others(stack, {"backup", "grafana", "haproxy", "api", "migrate"})
    removal, start = stack.calls
    assert removal == "--profile * rm --stop --force --volumes grafana targets"
    assert start.endswith("--no-recreate backup grafana node-exporter targets")
    assert "The service backup makes a backup now" in capsys.readouterr().out


def test_every_service_is_replaced_or_has_a_cost() -> None:
    assert set(images.NEEDED) - {"migrate"} == {*rolling.COSTS, "limiter", "api", "fanout"}
    assert {"limiter", "api", "fanout", "mcp"} == set(rolling.SERVICES)
    text = "".join(path.read_text() for path in DIRECTORY.glob("*.yaml"))
    assert [name for name in (*rolling.COSTS, *rolling.SERVICES) if f"\n  {name}:\n" not in text] == []

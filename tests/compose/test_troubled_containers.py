"""Containers that do not start are named, even if the engine restarts them while they are looked at."""

import pytest

from deploy.compose import images
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.running import start_services
from deploy.compose.stack import Container, Stack, telling
from deploy.compose.waiting import until_well

CONTAINER = Container(
    id="1", name="postgresql-1", service="postgresql", status="running", health="healthy", exit_code=0, restarts=0,
)  # fmt: skip


def test_an_error_is_shown_instead_of_the_hint_that_follows_it() -> None:
    said = ["P00   INFO: begin", "P00  ERROR: [082]: not archived", "HINT: check the archive_command"]
    assert telling(said) == "P00  ERROR: [082]: not archived"
    assert telling(["Error response from daemon: gone"]) == "Error response from daemon: gone"


def test_a_grafana_that_cannot_be_had_can_be_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = Stack(Configuration({"ENV_FILE": "/dev/null"}))
    described = {"prometheus": {"image": "p"}, "grafana": {"image": "g", "deploy": {"replicas": 0}}}
    monkeypatch.setattr(stack, "described", lambda: {"services": described})
    assert images.images(stack) == {"prometheus": "p"}


def test_what_does_not_start_is_named_with_the_end_of_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = Restarting(Configuration({"ENV_FILE": "/dev/null"}))

    def fail(*_: str) -> None:
        raise StackError("docker compose up failed.")

    monkeypatch.setattr(stack, "compose", fail)
    with pytest.raises(StackError) as refused:
        start_services(stack, ["postgresql"], 1)
    assert str(refused.value) == ("docker compose up failed.\npostgresql-1 is running:\n  LOG_LEVEL must be a level.")


class Restarting(Stack):
    """A stack whose PostgreSQL exits as soon as the engine has started it."""

    restarts = 1

    def containers(self, *_: str) -> list[Container]:
        self.restarts += 1
        return [Container(**(vars(CONTAINER) | {"restarts": self.restarts, "health": "starting"}))]

    def docker(self, *_: str, seconds: float = 60, errors: bool = False) -> str:
        return "LOG_LEVEL must be a level."


def test_a_container_that_exits_again_and_again_is_not_waited_for() -> None:
    stack = Restarting(Configuration({"ENV_FILE": "/dev/null"}))
    with pytest.raises(StackError, match=r"^postgresql-1 has exited; its last log lines:\n  LOG_LEVEL must be a level"):
        until_well(stack, "postgresql", {"1"}, seconds=10)
    assert stack.restarts == 4

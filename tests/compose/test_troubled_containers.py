"""What `make doctor` reports of a container, even if the engine restarts it while it is looked at."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from deploy.compose import images
from deploy.compose.configuration import Configuration
from deploy.compose.doctor import container_trouble, containers_troubles
from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack, telling
from deploy.compose.waiting import until_well

# However long the tests before have taken.
NOT_LONG_AGO = datetime.now(UTC) + timedelta(days=1)
CONTAINER = Container(
    id="1", name="postgresql-1", service="postgresql", status="running", health="healthy", exit_code=0, restarts=0,
    out_of_memory=False, started=NOT_LONG_AGO,
)  # fmt: skip


@pytest.mark.parametrize(
    ("state", "trouble"),
    [
        ({}, None),
        ({"health": "starting"}, None),
        ({"health": "unhealthy"}, "is not healthy"),
        ({"status": "exited", "exit_code": 1}, "is not running (exit code 1) until make up starts it"),
        ({"restarts": 2}, None),
        ({"restarts": 3}, "has been restarted (restarts so far: 3)"),
        ({"restarts": 3, "started": datetime.now(UTC) - timedelta(hours=1)}, None),
        (
            {"restarts": 3, "started": datetime.now(UTC) - timedelta(hours=1), "health": "starting"},
            "has been restarted (restarts so far: 3)",
        ),
        ({"restarts": 1, "health": "starting"}, "has been restarted (restarts so far: 1)"),
    ],
)
def test_a_container_in_trouble_is_reported(state: dict[str, object], trouble: str | None) -> None:
    assert container_trouble(Container(**(vars(CONTAINER) | state))) == trouble


def test_an_error_is_shown_instead_of_the_hint_that_follows_it() -> None:
    said = ["P00   INFO: begin", "P00  ERROR: [082]: not archived", "HINT: check the archive_command"]
    assert telling(said) == "P00  ERROR: [082]: not archived"
    assert telling(["Error response from daemon: gone"]) == "Error response from daemon: gone"


class Incomplete(Stack):
    """A stack of which only PostgreSQL runs."""

    def described(self) -> dict[str, Any]:
        services: dict[str, Any] = {name: {} for name in ("postgresql", "prometheus", "backup")}
        return {"services": {**services, "grafana": {"deploy": {"replicas": self.grafanas}}}}

    def all_services(self) -> dict[str, Any]:
        services: dict[str, Any] = self.described()["services"]
        return services

    grafanas = 0

    def containers(self, *_: str) -> list[Container]:
        return [CONTAINER]


def test_every_service_of_the_settings_must_have_a_container() -> None:
    assert list(containers_troubles(Incomplete(Configuration({"ENV_FILE": "/dev/null"})))) == [
        "There is no container for backup; make up creates it if its image can be fetched.",
        "There is no container for prometheus; make up creates it if its image can be fetched.",
    ]


def test_a_grafana_that_cannot_be_had_can_be_done_without() -> None:
    stack = Incomplete(Configuration({"ENV_FILE": "/dev/null"}))
    stack.grafanas = 1
    assert "GRAFANA_REPLICAS=0 in .env does without it" in list(containers_troubles(stack))[1]
    described = {"prometheus": {"image": "p"}, "grafana": {"image": "g", "deploy": {"replicas": 0}}}
    stack.described = lambda: {"services": described}  # type: ignore[method-assign]
    assert images.images(stack) == {"prometheus": "p"}


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

"""What `make doctor` reports of a container, even if the engine restarts it while it is looked at."""

import pytest

from deploy.compose.doctor import _trouble
from deploy.compose.stack import Container

CONTAINER = Container(
    id="1", name="postgresql-1", service="postgresql", status="running", health="healthy", exit_code=0, restarts=0,
    out_of_memory=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("state", "trouble"),
    [
        ({}, None),
        ({"health": "starting"}, None),
        ({"health": "unhealthy"}, "is not healthy"),
        ({"status": "exited", "exit_code": 1}, "is not running (exit code 1)"),
        ({"restarts": 2}, None),
        ({"restarts": 3}, "has been restarted (restarts so far: 3)"),
        ({"restarts": 1, "health": "starting"}, "has been restarted (restarts so far: 1)"),
    ],
)
def test_a_container_in_trouble_is_reported(state: dict[str, object], trouble: str | None) -> None:
    assert _trouble(Container(**(vars(CONTAINER) | state))) == trouble

"""A roll names what it does not replace, with the cost, and each service that is not healthy."""

import pytest

from deploy.compose import images, rolling
from deploy.compose.configuration import DIRECTORY
from deploy.compose.errors import StackError
from deploy.compose.stack import Container, Stack
from deploy.observability import generated_files


def test_what_is_left_is_named_with_its_command_and_cost() -> None:
    lines = rolling.left({"postgresql", "valkey", "backup", "haproxy"}).splitlines()[1:]
    assert lines == [
        f"  docker compose up --detach --no-build --force-recreate {name}    # {rolling.COSTS[name]}"
        for name in ("haproxy", "postgresql")
    ]


def test_every_service_is_replaced_or_has_a_cost() -> None:
    assert set(images.NEEDED) - {"migrate"} == {*rolling.COSTS, "valkey", "limiter", "api", "fanout"}
    assert {"limiter", "api", "fanout", "mcp"} == set(rolling.SERVICES)
    text = "".join(path.read_text() for path in DIRECTORY.glob("*.yaml"))
    assert [name for name in (*rolling.COSTS, *rolling.SERVICES) if f"\n  {name}:\n" not in text] == []


def test_a_service_that_no_request_needs_is_named_if_it_is_not_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: str) -> None:
        raise StackError("docker compose up failed")

    stack = Stack()
    unwell = Container("1", "backup-1", "backup", "running", "unhealthy", exit_code=0, restarts=0)
    monkeypatch.setattr(stack, "described", lambda *_: {"services": {"backup": {"image": "there"}}})
    monkeypatch.setattr(stack, "containers", lambda *_: [unwell])
    monkeypatch.setattr(stack, "compose", fail)
    monkeypatch.setattr(generated_files, "main", lambda: None)
    said = "Warning: the board serves, but not healthy: backup. docker compose logs shows why."
    assert rolling.replace_others(stack, []) == said

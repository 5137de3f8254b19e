"""Reading the dashboard in tests."""

from typing import Any

from tests.web import Agent

HOME = "/api/home"


def home(agent: Agent, after: int | None = None) -> dict[str, Any]:
    answer = agent.get(HOME if after is None else f"{HOME}?after={after}")
    assert answer.status == 200, answer.content
    return dict(answer.json)


def ids(items: list[dict[str, Any]]) -> list[int]:
    return [item["id"] for item in items]

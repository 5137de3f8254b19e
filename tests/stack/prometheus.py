"""The stack's own Prometheus, which the profile `observability` adds."""

import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from tests.stack.make import Board

# Scrapes and evaluations come every 15 seconds, and those of a busy machine may be missed.
PATIENCE_SECONDS = 240


class Prometheus:
    """Answers queries in its container."""

    def __init__(self, board: Board) -> None:
        self.board = board

    def values(self, expression: str) -> list[Any]:
        """Return the current value of an expression: labels and value of each series."""
        address = "http://127.0.0.1:9090"
        said = self.board.inside("prometheus", "promtool", "query", "instant", "--format=json", address, expression)
        return list(json.loads(said))

    def found(self, selectors: Iterable[str]) -> set[str]:
        """Return which selectors find a series. It is one query, because a busy machine needs seconds for each."""
        asked = {str(number): text for number, text in enumerate(selectors)}
        each = (f'label_replace(count({text}), "asked", "{number}", "", "")' for number, text in asked.items())
        return {asked[one["metric"]["asked"]] for one in self.values(" or ".join(each))}

    def replicas(self) -> dict[str, int]:
        """Return how many targets of each job answer."""
        found = self.values("count by (job) (up == 1)")
        return {one["metric"]["job"]: int(one["value"][1]) for one in found}

    def firing(self, *names: str) -> set[str]:
        """Return which of these alerts fire."""
        return self.alerts('alertstate="firing"', names)

    def raised(self, *names: str) -> set[str]:
        """Return which of these alerts fire, or will when their condition has lasted long enough."""
        return self.alerts('alertstate=~"pending|firing"', names)

    def alerts(self, state: str, names: tuple[str, ...]) -> set[str]:
        found = self.values(f'ALERTS{{{state}, alertname=~"{"|".join(names)}"}}')
        return {one["metric"]["alertname"] for one in found}


def until(find: Callable[[], object], wanted: object, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until the result is as expected; on failure, report the actual one."""
    deadline = time.monotonic() + seconds
    while (found := find()) != wanted and time.monotonic() < deadline:
        time.sleep(1)
    assert found == wanted, found

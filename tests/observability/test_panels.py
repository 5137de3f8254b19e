"""Every panel and rule works on a real Prometheus that monitors a board under load, and uses all our metrics.

Metrics of HAProxy and the exporters are checked where these are installed, and in the tests of the stack.
"""

import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from tests.observability.callers import disturb
from tests.observability.expressions import Selector, expressions, queries, rules, selectors
from tests.observability.stage import Stage

T = TypeVar("T")
Asked = tuple[str, str, str]
"""A dashboard, a panel, and a query of it."""

PATIENCE_SECONDS = 180
FOREIGN = {
    "haproxy": "haproxy", "pg": "postgresql", "redis": "valkey", "alertmanager": "alertmanager", "node": "host",
    "probe": "probe",
}  # fmt: skip
"""The metrics that begin with a word, and the job that has them."""
NEWER = {"pg_wal_size_bytes"}
"""Metrics that the exporters of Debian 12 do not have yet."""
NEWER_LABELS = {"receiver_name"}
"""Labels that the programs of Debian 12 do not have yet."""
RARE = {"probe_ssl_earliest_cert_expiry", "pg_replication_slots_active"}
"""Metrics that exist only with TLS, or with a replication slot."""
ELSEWHERE = (
    "agent_board_load_", "agent_board_backup_", "agent_board_postgresql_",
    "agent_board_replicas_",
)  # fmt: skip
"""Metrics of load tests and of commands, which do not run here."""
WATCHED = re.compile(r'up\{job="(\w+)"')
"""Whether a job that may not be here answers."""
OLD = re.compile(r"slo:burn_rate:\w+")
"""Metrics that need a monitoring that has run for longer; promtool tests them."""
UNSEEN = {
    'mountpoint="/srv/', 'mountpoint=~"/srv/', 'kind="DiskFullError"', 'verdict="away"', 'status=~"5.."',
    'status="503"', 'severity="page"', 'severity="ticket"',
}  # fmt: skip
"""Values of failures that these tests do not reliably cause."""


def here(stage: Stage, metric: str) -> bool:
    """Return whether the program that has a metric is monitored on this machine."""
    if metric.startswith(ELSEWHERE) or metric in RARE or OLD.fullmatch(metric):
        return False
    job = FOREIGN.get(metric.split("_")[0])
    if metric in NEWER and "postgresql" in stage.targets:
        return metric in stage.ask("/api/v1/label/__name__/values")
    return job is None or job in stage.targets


def watched(stage: Stage, selector: Selector) -> bool:
    """Return whether the job whose answers a selector counts is monitored on this machine."""
    job = WATCHED.match(selector.text)
    return job is None or job[1] in stage.targets


def askable(stage: Stage, expression: str) -> bool:
    # only containers have a disk of that name
    return "/srv/" not in expression and all(here(stage, selector.metric) for selector in selectors(expression))


def faulty(stage: Stage, expression: str) -> bool:
    """Return whether an expression has no value now. Raises AssertionError when Prometheus refuses it."""
    return not [value for value in stage.values(expression) if value != "NaN"]


@pytest.fixture(scope="module")
def disturbed(stage: Stage) -> Stage:
    """Return the stage after some disturbances."""
    disturb(stage.database_url, stage.fanout)
    return stage


def never(seen: Callable[[T], bool], items: list[T]) -> list[T]:
    """Return the items that were not seen once by the time that Prometheus has had time to scrape."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (items := [item for item in items if not seen(item)]) and time.monotonic() < deadline:
        time.sleep(0.5)
    return items


def left_over(find: Callable[[], list[T]]) -> list[T]:
    """Return the findings that remain when Prometheus has had time to scrape."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (findings := find()) and time.monotonic() < deadline:
        time.sleep(0.5)
    return findings


def asked_here(stage: Stage) -> list[Asked]:
    return [(d.uid, p.title, query) for d, p, query in queries() if askable(stage, query)]


@pytest.mark.slow
def test_every_panel_shows_something(disturbed: Stage) -> None:
    asked = asked_here(disturbed)
    assert len(asked) > 0.6 * len(queries())
    silent = never(lambda one: not faulty(disturbed, one[2]), asked)
    assert silent == [], f"after {disturbed.callers.rounds} rounds of calls"


def test_every_rule_can_be_evaluated(disturbed: Stage) -> None:
    def unevaluated() -> list[Any]:
        found = [rule for group in disturbed.ask("/api/v1/rules")["groups"] for rule in group["rules"]]
        assert len(found) == len(rules())
        assert [rule for rule in found if rule["health"] == "err"] == []
        return [rule for rule in found if rule["health"] != "ok"]

    assert left_over(unevaluated) == []


def test_rules_and_panels_select_what_exists(disturbed: Stage) -> None:
    every = {selector for expression in expressions() for selector in selectors(expression)}
    asked = [s for s in every if here(disturbed, s.metric) and watched(disturbed, s)]
    assert [s.text for s in never(lambda s: selects(disturbed, s), asked)] == []


def selects(stage: Stage, selector: Selector) -> bool:
    """Return whether the metric has series with these labels, and with these values unless they are uncertain."""
    series = stage.ask("/api/v1/series", **{"match[]": selector.metric})
    if not selector.labels - NEWER_LABELS <= {label for one in series for label in one}:
        return False
    unseen = any(value in selector.text for value in UNSEEN)
    return bool(series if unseen else stage.ask("/api/v1/series", **{"match[]": selector.text}))


def test_every_metric_of_ours_is_shown_or_alerted_on(stage: Stage) -> None:
    named = {re.sub("_(bucket|sum|count)$", "", s.metric) for e in expressions() for s in selectors(e)}
    ours = {
        family.name + ("_total" if family.type == "counter" else "")
        for process in stage.processes.values()
        for family in parse(process.operator("/metrics")[1])
        if family.name.startswith("agent_board_")
    }
    assert len(ours) > 40
    assert ours - named == set()


def test_every_metric_of_ours_is_named_as_ours_and_explained_by_a_sentence(stage: Stage) -> None:
    for process in stage.processes.values():
        for family in parse(process.operator("/metrics")[1]):
            if not family.name.startswith("process_"):
                assert re.fullmatch("agent_board_[a-z_]+", family.name)
                assert family.documentation.endswith("."), family.name

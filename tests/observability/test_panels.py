"""Every panel and rule on a real Prometheus that watches a board under load, and every metric of ours in one of them.

What HAProxy and the exporters alone know is asked where their programs are at hand, else in the tests of containers.
"""

import re
import time

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from tests.observability.callers import disturb
from tests.observability.expressions import expressions, queries, rules, selectors
from tests.observability.stage import Stage

Asked = tuple[str, str, str]
"""A dashboard, a panel, and a query of it."""

PATIENCE_SECONDS = 90
FOREIGN = {"haproxy": "haproxy", "pg": "postgresql", "redis": "valkey", "alertmanager": "alertmanager"}
"""The metrics that begin with a word, and the job that has them."""
NEWER = {"pg_wal_size_bytes"}
"""What the exporters of Debian 12 do not know yet."""
RARE = {"ALERTS"}
"""What there is only while something is wrong that does not go wrong here."""
UNSEEN = {'kind="DiskFullError"', 'verdict="away"', 'status=~"5.."', 'status="503"'}
"""Values that only what does not surely go wrong here brings about."""


def here(stage: Stage, metric: str) -> bool:
    """Whether the part that has a metric is watched on this machine."""
    job = FOREIGN.get(metric.split("_")[0])
    if metric in NEWER and "postgresql" in stage.targets:
        return metric in stage.ask("/api/v1/label/__name__/values")
    return job is None or job in stage.targets


def askable(stage: Stage, expression: str) -> bool:
    return all(here(stage, selector.metric) for selector in selectors(expression))


def faulty(stage: Stage, expression: str) -> bool:
    """Whether an expression has no value now. Raises AssertionError when Prometheus refuses it."""
    return not [value for value in stage.values(expression) if value != "NaN"]


@pytest.fixture(scope="module")
def silent_panels(stage: Stage) -> list[Asked]:
    """The queries without a value once the board has been used and disturbed, and Prometheus has had time to see it."""
    # so that what goes wrong is to be seen as well
    disturb(stage.database_url)
    silent, deadline = asked_here(stage), time.monotonic() + PATIENCE_SECONDS
    while silent and time.monotonic() < deadline:
        silent = [asked for asked in silent if faulty(stage, asked[2])]
        time.sleep(0.5)
    return silent


def asked_here(stage: Stage) -> list[Asked]:
    return [(d.uid, p.title, query) for d, p, query in queries() if askable(stage, query)]


def test_every_panel_shows_something(stage: Stage, silent_panels: list[Asked]) -> None:
    assert silent_panels == [], f"after {stage.callers.rounds} rounds of calls"
    assert len(asked_here(stage)) > 0.6 * len(queries())


@pytest.mark.usefixtures("silent_panels")
def test_every_rule_can_be_evaluated(stage: Stage) -> None:
    groups = stage.ask("/api/v1/rules")["groups"]
    found = [rule for group in groups for rule in group["rules"]]
    assert len(found) == len(rules())
    assert [rule for rule in found if rule["health"] == "err"] == []


@pytest.mark.usefixtures("silent_panels")
def test_rules_and_panels_select_what_exists(stage: Stage) -> None:
    exported = set(stage.ask("/api/v1/label/__name__/values")) | RARE
    for selector in {s for expression in expressions() for s in selectors(expression)}:
        if not here(stage, selector.metric) or selector.metric in RARE:
            continue
        assert selector.metric in exported, f"nobody exports {selector.metric}"
        if not any(word in selector.text for word in UNSEEN):
            assert stage.ask("/api/v1/series", **{"match[]": selector.text}), f"nothing is like {selector.text}"
        series = stage.ask("/api/v1/series", **{"match[]": selector.metric})
        assert selector.labels <= {label for one in series for label in one}, selector.text


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

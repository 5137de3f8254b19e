"""The dashboards show the bounds of every objective, lead to the runbooks, and mark changes."""

from typing import Any

import pytest

from deploy.observability.dashboards import DASHBOARDS, OVERVIEW
from deploy.observability.panels import Dashboard, Panel, as_grafana
from tests.observability.expressions import alerts, selectors

INDICATORS = ("agent_board_request_duration_seconds", "agent_board_inbox_oldest_seconds")
"""How the metrics begin of which an objective sets the bound."""
PANELS = [(dashboard, panel) for dashboard in DASHBOARDS for panel in dashboard.panels]
EVERY = pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda dashboard: dashboard.uid)


def metrics(panel: Panel) -> set[str]:
    return {selector.metric for query in panel.queries for selector in selectors(query.expr)}


def test_every_panel_of_an_objective_shows_its_bounds() -> None:
    bound = [(dashboard.uid, panel) for dashboard, panel in PANELS
             if any(metric.startswith(INDICATORS) for metric in metrics(panel))]  # fmt: skip
    assert len({uid for uid, _ in bound}) >= 3
    assert [(uid, panel.title) for uid, panel in bound if not panel.steps] == []


def test_alerts_are_listed_with_a_link_to_the_list_of_runbooks() -> None:
    (panel,) = [panel for panel in as_grafana(OVERVIEW)["panels"] if panel["type"] == "table"]
    (target,), (link,) = panel["targets"], panel["fieldConfig"]["defaults"]["links"]
    assert target["expr"] == 'ALERTS{alertstate="firing"}'
    # the list names the page of each alert; its folder comes from a label of the alert that always fires
    assert link["url"] == "${runbooks}/README.md"
    assert "runbook_base_url" in alerts()["Watchdog"]["labels"]["runbooks"]
    (variable,) = [each for each in as_grafana(OVERVIEW)["templating"]["list"] if each["name"] == "runbooks"]
    assert variable["query"]["query"] == 'label_values(ALERTS{alertname="Watchdog"}, runbooks)'
    hidden = [name for each in panel["transformations"] for name in each["options"]["excludeByName"]]
    assert "alertname" not in hidden


@EVERY
def test_releases_and_starts_are_marked(dashboard: Dashboard) -> None:
    marks: dict[str, dict[str, Any]] = {each["name"]: each for each in as_grafana(dashboard)["annotations"]["list"]}
    assert {name: {s.metric for s in selectors(mark["expr"])} for name, mark in marks.items()} == {
        "Releases": {"agent_board_build_info"},
        "Starts": {"process_start_time_seconds"},
    }
    for mark in marks.values():
        assert mark["enable"]
        assert mark["datasource"]["type"] == "prometheus"
        # the title names what has changed, by labels
        assert "{{" in mark["titleFormat"]

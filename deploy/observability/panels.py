"""A short notation for dashboards, and its translation to Grafana's JSON, which numbers and places the panels."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

DATASOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
SCHEMA_VERSION: Final = 39
WIDTH: Final = 24
"""The columns of Grafana's grid."""

Step = tuple[float | None, str]


@dataclass(frozen=True)
class Query:
    """An expression and the legend of its series."""

    expr: str
    legend: str


@dataclass(frozen=True)
class Panel:
    """A graph, or with kind "stat" only the newest value of each series.

    `unit` is one of Grafana's unit ids. `steps` colors values from a bound on; the first step has no bound.
    """

    title: str
    description: str
    unit: str
    queries: Sequence[Query]
    kind: str = "timeseries"
    width: int = 8
    height: int = 7
    steps: Sequence[Step] = ()


@dataclass(frozen=True)
class Dashboard:
    """A page of panels. `uid` is part of its URL and must never change."""

    uid: str
    title: str
    description: str
    panels: Sequence[Panel]

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.uid.removeprefix("agent-board-")


def q(expr: str, legend: str) -> Query:
    """A short name for Query, which keeps the list of panels readable."""
    return Query(expr, legend)


def above(bad: float, worse: float | None = None) -> list[Step]:
    """The steps of a panel in which high values are bad."""
    return [(None, "green"), (bad, "red")] if worse is None else [(None, "green"), (bad, "orange"), (worse, "red")]


def below(bad: float, worse: float) -> list[Step]:
    """The steps of a panel in which low values are bad."""
    return [(None, "red"), (worse, "orange"), (bad, "green")]


def quantiles(metric: str, by: str = "") -> list[Query]:
    """The median and the 99th percentile of a distribution, split by a label if one is given."""
    labels, legend = (f"{by}, le", f" {{{{{by}}}}}") if by else ("le", "")
    rates = f"sum by ({labels}) (rate({metric}_bucket[$__rate_interval]))"
    return [
        Query(f"histogram_quantile({share}, {rates})", f"{name}{legend}")
        for share, name in (("0.5", "median"), ("0.99", "99 %"))
    ]


def rendered(dashboard: Dashboard) -> str:
    """The file that Grafana provisions."""
    return json.dumps(as_grafana(dashboard), indent=1, ensure_ascii=False) + "\n"


def as_grafana(dashboard: Dashboard) -> dict[str, Any]:
    """A dashboard in Grafana's data model."""
    return {
        "uid": dashboard.uid,
        "title": dashboard.title,
        "description": dashboard.description,
        "tags": ["agent-board"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "utc",
        "links": [{"type": "dashboards", "tags": ["agent-board"], "title": "Dashboards", "keepTime": True}],
        "templating": {"list": VARIABLES},
        "panels": place(dashboard.panels),
    }


def place(panels: Sequence[Panel]) -> list[dict[str, Any]]:
    """Place panels from left to right, in rows as high as their tallest panel."""
    placed, x, y, height = [], 0, 0, 0
    for number, panel in enumerate(panels, 1):
        if x + panel.width > WIDTH:
            x, y, height = 0, y + height, 0
        placed.append(panel_json(number, panel, {"x": x, "y": y, "w": panel.width, "h": panel.height}))
        x, height = x + panel.width, max(height, panel.height)
    return placed


def panel_json(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": DATASOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": field_defaults(panel), "overrides": []},
        "options": OPTIONS[panel.kind],
        "targets": [
            {
                "refId": chr(ord("A") + index),
                "datasource": DATASOURCE,
                "expr": query.expr,
                "legendFormat": query.legend,
                "instant": panel.kind != "timeseries",
                "format": "time_series",
            }
            for index, query in enumerate(panel.queries)
        ],
    }


def field_defaults(panel: Panel) -> dict[str, Any]:
    """How values are shown."""
    defaults: dict[str, Any] = {"unit": panel.unit}
    if panel.steps:
        steps = [{"value": value, "color": color} for value, color in panel.steps]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
        defaults["custom"] = {"thresholdsStyle": {"mode": "line"}} if panel.kind == "timeseries" else {}
    return defaults


VARIABLES: Final = [
    {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
    {"name": "filter", "label": "Filter", "type": "adhoc", "datasource": DATASOURCE},
]
"""The second one restricts every panel to values of any labels, such as an instance or an operation."""

OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "timeseries": {
        "legend": {"displayMode": "list", "placement": "bottom"},
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
    "stat": {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "value", "textMode": "value_and_name"},
}

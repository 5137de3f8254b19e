"""A dashboard as a page with plots, from the answers of a Prometheus: for boards without a Grafana."""

import json
import math
import re
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from deploy.observability.panels import WIDTH, Dashboard, Panel

COLORS = ("#3366cc", "#dc3912", "#109618", "#ff9900", "#990099", "#0099c6", "#dd4477", "#66aa00")
PLOT_WIDTH, PLOT_HEIGHT = 600, 160
POINTS = 200
LEGENDS_MAX = 12
VARIABLE = re.compile(r"\$(?:instance|operation|policy|datname|proxy)\b")
STYLE = f"""
body {{ font: 13px sans-serif; margin: 16px; }}
main {{ display: grid; grid-template-columns: repeat({WIDTH}, 1fr); gap: 12px; }}
section {{ border: 1px solid #ccc; padding: 8px; overflow: hidden; }}
h2 {{ font-size: 14px; margin: 0; }} p {{ color: #555; margin: 2px 0; }} svg {{ width: 100%; }}
"""


@dataclass(frozen=True)
class Series:
    """One line of a plot: its legend, and pairs of a moment and a value."""

    legend: str
    points: list[tuple[float, float]]


@dataclass(frozen=True)
class Source:
    """A Prometheus, and the period that is plotted, in Unix seconds."""

    url: str
    start: float
    end: float

    def page(self, dashboard: Dashboard) -> str:
        """Return a dashboard as an HTML page."""
        panels = "".join(f'<section style="grid-column: span {p.width}">{self.panel(p)}</section>'
                         for p in dashboard.panels)  # fmt: skip
        head = f"<title>{escape(dashboard.title)}</title><style>{STYLE}</style>"
        return f"<!doctype html>{head}<h1>{escape(dashboard.title)}</h1><main>{panels}</main>"

    def panel(self, panel: Panel) -> str:
        series = [one for query in panel.queries for one in self.values(query.expr, query.legend)]
        shown = plot(panel, series, self) if panel.kind == "timeseries" else ""
        text = "".join(legends(panel, series)) or "<p>No values.</p>"
        return f"<h2>{escape(panel.title)}</h2><p>{escape(panel.description)}</p>{shown}{text}"

    def values(self, expression: str, legend: str) -> Iterator[Series]:
        """Return what a query of a panel finds in the period."""
        step = max(1.0, (self.end - self.start) / POINTS)
        query = VARIABLE.sub(".*", expression).replace("$__rate_interval", f"{max(20, round(4 * step))}s")
        asked = {"query": query, "start": f"{self.start}", "end": f"{self.end}", "step": f"{step}"}
        url = f"{self.url}/api/v1/query_range?{urllib.parse.urlencode(asked)}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
        for each in found:
            points = [(moment, float(value)) for moment, value in each["values"]]
            yield Series(named(legend, each["metric"]), [point for point in points if math.isfinite(point[1])])


def named(legend: str, labels: dict[str, str]) -> str:
    """Return a legend with the values of its labels."""
    return re.sub(r"\{\{(\w+)\}\}", lambda label: labels.get(label[1], ""), legend).strip()


def plot(panel: Panel, series: list[Series], period: Source) -> str:
    """Return the lines of some series as SVG, with the panel's bounds dashed."""
    values = [value for one in series for _, value in one.points]
    if not values:
        return ""
    bounds = [bound for bound, _ in panel.steps if bound is not None]
    low, high = min(0.0, *values), max([*values, *bounds]) or 1.0

    def height(value: float) -> float:
        return PLOT_HEIGHT * (1 - (value - low) / (high - low))

    def x(moment: float) -> float:
        return PLOT_WIDTH * (moment - period.start) / (period.end - period.start)

    lines = [
        f'<polyline fill="none" stroke="{COLORS[number % len(COLORS)]}" stroke-width="1.5" points="'
        + " ".join(f"{x(moment):.1f},{height(value):.1f}" for moment, value in one.points) + '"/>'
        for number, one in enumerate(series)
    ]  # fmt: skip
    dashed = [
        f'<line x2="{PLOT_WIDTH}" y1="{height(bound):.1f}" y2="{height(bound):.1f}" stroke="red" stroke-dasharray="4"/>'
        for bound in bounds
    ]
    size = f'viewBox="0 -12 {PLOT_WIDTH} {PLOT_HEIGHT + 16}"'
    return f'<svg {size}><text y="-3" font-size="11">{shown(high, panel.unit)}</text>{"".join(lines + dashed)}</svg>'


def legends(panel: Panel, series: list[Series]) -> Iterator[str]:
    """Return a line for each series, with its newest value."""
    for number, one in enumerate(series[:LEGENDS_MAX]):
        if one.points:
            newest = shown(one.points[-1][1], panel.unit)
            yield f'<p><b style="color: {COLORS[number % len(COLORS)]}">{escape(one.legend)}</b> {newest}</p>'
    if len(series) > LEGENDS_MAX:
        yield f"<p>and {len(series) - LEGENDS_MAX} more</p>"


def shown(value: float, unit: str) -> str:
    """Return a value with Grafana's unit."""
    if unit == "percentunit":
        return f"{100 * value:.4g} %"
    if unit in ("bytes", "Bps"):
        return f"{value / 2**20:.4g} MiB{'/s' if unit == 'Bps' else ''}"
    return f"{value:.4g}{ {'s': ' s', 'reqps': '/s', 'cps': '/s', 'ops': '/s'}.get(unit, '') }"

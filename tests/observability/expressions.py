"""The metrics that a PromQL expression names, and the labels by which it selects them."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import yaml

from deploy.observability.dashboards import DASHBOARDS
from deploy.observability.panels import Dashboard, Panel
from tests.processes import CHECKOUT

PROMETHEUS = CHECKOUT / "deploy/observability/prometheus"
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
GROUPING = re.compile(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)")
RANGE = re.compile(r"\[[^\]]*\]|\boffset\s+\w+")
SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\s*(\{[^{}]*\})?(?!\s*\(|[\w:{])")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
WORDS = frozenset({"and", "or", "unless", "bool"})


class Selector(NamedTuple):
    """A metric and the labels by which an expression selects it."""

    metric: str
    labels: frozenset[str]
    text: str


def selectors(expression: str) -> Iterator[Selector]:
    """Return every metric that an expression names."""
    strings = STRING.findall(expression)
    bare = RANGE.sub("", GROUPING.sub("", STRING.sub('""', expression)))
    for found in SELECTOR.finditer(bare):
        metric, braces = found[1], found[2] or ""
        # also those of functions count, such as the arguments of label_replace
        own = iter(strings[bare[: found.start()].count('""') :])
        text = metric + re.sub('""', lambda _, own=own: next(own), braces)
        if metric not in WORDS:
            yield Selector(metric, frozenset(LABEL.findall(STRING.sub("", text))), text)


@cache
def rules(pattern: str = "*.yaml") -> list[dict[str, Any]]:
    """Return every rule of the files with matching names, in order. The tests share them: never change one."""
    files = sorted((PROMETHEUS / "rules").glob(pattern))
    return [rule for file in files for group in yaml.safe_load(file.read_text())["groups"] for rule in group["rules"]]


@cache
def alerts(pattern: str = "*.yaml") -> dict[str, dict[str, Any]]:
    """Return every alert of the files with matching names, by its name."""
    return {rule["alert"]: rule for rule in rules(pattern) if "alert" in rule}


def queries() -> list[tuple[Dashboard, Panel, str]]:
    """Return every query of every panel."""
    return [(d, p, filled(query.expr)) for d in DASHBOARDS for p in d.panels for query in p.queries]


def filled(expression: str) -> str:
    return expression.replace("$__rate_interval", "20s")


def expressions() -> list[str]:
    """Return every expression of the rules and the panels."""
    return [rule["expr"] for rule in rules()] + [expression for _, _, expression in queries()]

"""What a PromQL expression names: metrics, and the labels that it selects them by."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from deploy.observability.dashboards import DASHBOARDS
from deploy.observability.panels import Dashboard, Panel
from tests.observability.stage import PROMETHEUS

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
GROUPING = re.compile(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)")
RANGE = re.compile(r"\[[^\]]*\]")
SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\s*(\{[^{}]*\})?(?!\s*\(|[\w:{])")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
WORDS = frozenset({"and", "or", "unless", "bool", "offset"})


class Selector(NamedTuple):
    """A metric as an expression selects it."""

    metric: str
    labels: frozenset[str]
    text: str


def selectors(expression: str) -> Iterator[Selector]:
    """Every metric that an expression names."""
    strings = iter(STRING.findall(expression))
    bare = RANGE.sub("", GROUPING.sub("", STRING.sub('""', expression)))
    for metric, braces in SELECTOR.findall(bare):
        text = metric + re.sub('""', lambda _: next(strings), braces)
        if metric not in WORDS:
            yield Selector(metric, frozenset(LABEL.findall(STRING.sub("", text))), text)


def rules() -> list[dict[str, Any]]:
    """Every rule, in the order of the files."""
    files = sorted((PROMETHEUS / "rules").glob("*.yaml"))
    return [rule for file in files for group in yaml.safe_load(file.read_text())["groups"] for rule in group["rules"]]


def alerts() -> dict[str, dict[str, Any]]:
    """Every alert, by its name."""
    return {rule["alert"]: rule for rule in rules() if "alert" in rule}


def queries() -> list[tuple[Dashboard, Panel, str]]:
    """Every query of every panel, with Grafana's variables at their widest."""
    return [(d, p, filled(query.expr)) for d in DASHBOARDS for p in d.panels for query in p.queries]


def filled(expression: str) -> str:
    return re.sub(r"\$(instance|operation|policy|datname|proxy)\b", ".*", expression).replace("$__rate_interval", "20s")


def expressions() -> list[str]:
    """Every expression of the rules and the panels."""
    return [rule["expr"] for rule in rules()] + [expression for _, _, expression in queries()]

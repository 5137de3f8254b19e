"""Panels and rules select metrics that the processes have, and use all of them.

The stack's tests check the metrics of HAProxy and the exporters.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families as parse
from prometheus_client.samples import Sample

from services.local.valkey import Valkey
from tests.limiter.processes import LimiterProcess
from tests.observability.callers import call_all, disturb
from tests.observability.expressions import Selector, expressions, selectors
from tests.operations.hand import KEY
from tests.processes import ApiProcess, FanoutProcess
from tests.waiting import wait_until

PATIENCE_SECONDS = 180
ELSEWHERE = (
    "agent_board_backup_", "agent_board_postgresql_", "agent_board_replicas_",
)  # fmt: skip
"""Metrics of commands, which do not run here."""
OF_PROMETHEUS = {"job", "instance"}
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"')
UNSEEN = {'kind="DiskFullError"', 'verdict="away"', 'status=~"5.."', 'status="503"'}
"""Values of failures that these tests do not reliably cause."""


class Board:
    """An API process, a limiter and a fan-out that have something to count."""

    def __init__(self, api: ApiProcess, limiter: LimiterProcess, fanout: FanoutProcess) -> None:
        self.api, self.processes = api, (api, limiter, fanout)

    def families(self) -> list[Metric]:
        """Return the metrics of all processes."""
        return [family for process in self.processes for family in parse(process.operator("/metrics")[1])]

    def samples(self) -> list[Sample]:
        return [sample for family in self.families() for sample in family.samples]


@pytest.fixture(scope="module")
def board(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    folder = tmp_path_factory.mktemp("counting")
    with Valkey(folder / "valkey") as valkey, LimiterProcess(valkey.url(), folder / "limiter") as limiter:
        fanout = FanoutProcess(module_database, folder / "fanout", LOG_KEY=KEY)
        with fanout, ApiProcess(module_database, folder / "api", LIMITER_URL=limiter.url) as api:
            disturb(module_database, api.url, fanout)
            yield Board(api, limiter, fanout)


def is_selected(sample: Sample, selector: Selector) -> bool:
    """Return whether a selector takes a sample, whatever its value is if the value is uncertain."""
    wanted = [each for each in MATCHER.findall(selector.text) if each[0] not in OF_PROMETHEUS]
    uncertain = any(value in selector.text for value in UNSEEN)
    return sample.name == selector.metric and all(
        name in sample.labels and (uncertain or takes(sample.labels[name], operator, value))
        for name, operator, value in wanted
    )


def takes(label: str, operator: str, value: str) -> bool:
    matches = re.fullmatch(value, label) is not None if "~" in operator else value == label
    return matches == (operator[0] == "=")


def test_rules_and_panels_select_what_exists(board: Board) -> None:
    asked = {
        selector
        for expression in expressions()
        for selector in selectors(expression)
        if selector.metric.startswith("agent_board_") and not selector.metric.startswith(ELSEWHERE)
    }
    assert len(asked) > 50

    def all_were_seen() -> bool:
        call_all(board.api.url)
        samples = board.samples()
        asked.difference_update([each for each in asked if any(is_selected(one, each) for one in samples)])
        return not asked

    with suppress(AssertionError):
        wait_until(all_were_seen, PATIENCE_SECONDS)
    assert sorted(selector.text for selector in asked) == []


def test_every_metric_of_ours_is_shown_or_alerted_on(board: Board) -> None:
    named = {re.sub("_(bucket|sum|count)$", "", s.metric) for e in expressions() for s in selectors(e)}
    ours = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in board.families()
        if family.name.startswith("agent_board_")
    }
    assert len(ours) > 40
    assert ours - named == set()


def test_every_metric_of_ours_is_named_as_ours_and_explained_by_a_sentence(board: Board) -> None:
    for family in board.families():
        if not family.name.startswith("process_"):
            assert re.fullmatch("agent_board_[a-z_]+", family.name)
            assert family.documentation.endswith("."), family.name

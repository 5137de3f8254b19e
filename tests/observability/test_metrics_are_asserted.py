"""Every metric of ours that an alert or a dashboard uses is asserted by value in a test of the part that counts it."""

from pathlib import Path

import pytest

from tests.observability.asserted import PARTS, asserted_metrics
from tests.observability.expressions import expressions, selectors

TESTS = Path(__file__).parents[1]


def test_every_metric_that_is_watched_is_asserted_by_value() -> None:
    named = {selector.metric for expression in expressions() for selector in selectors(expression)}
    watched = {PARTS.sub("", name) for name in named if name.startswith("agent_board_")}
    assert len(watched) > 40
    elsewhere = [path for path in TESTS.rglob("*.py") if path.parent != Path(__file__).parent]
    assert sorted(watched - asserted_metrics(*elsewhere)) == []


@pytest.mark.parametrize(
    ("code", "asserted"),
    [
        ('assert metric(api, "agent_board_x_total") == 3', True),
        ("assert metric(api, 'agent_board_x_total{kind=\"vote\"}') - before >= 1", True),
        ("assert metric(api, f'agent_board_x_total{labels}') == size", True),
        ('assert found["agent_board_x_total",] == 5', True),
        ("assert 'agent_board_x_total{kind=\"vote\"} 5.0' in page", True),
        # naming a metric should not be enough
        ('assert "agent_board_x_total" in page', False),
        ('assert {"agent_board_x_total"} <= names', False),
        ('assert metric(api, "agent_board_x_total")', False),
        ('Counter("agent_board_x_total", "Things.", registry=registry)', False),
        ('# assert metric(api, "agent_board_x_total") == 3', False),
    ],
)
def test_an_assertion_by_value_is_recognised(tmp_path: Path, code: str, asserted: bool) -> None:
    (tmp_path / "test_x.py").write_text(code)
    assert asserted_metrics(tmp_path / "test_x.py") == ({"agent_board_x_total"} if asserted else set())

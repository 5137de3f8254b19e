"""The runbooks: a page for the alerts that share a cause, in a common form, with commands and alerts that exist."""

import re
from pathlib import Path

import pytest
from typer.main import get_group

from services.operator.program import app
from tests.observability.expressions import alerts
from tests.processes import CHECKOUT

RUNBOOKS = CHECKOUT / "deploy/observability/runbooks"
INDEX = RUNBOOKS / "README.md"
PAGES = sorted(file for file in RUNBOOKS.iterdir() if file != INDEX)
LINES_MAX = 45  # more than a screen, because a page may be for seven alerts
LINK = re.compile(r"\[([^]]+)\]\((\w+\.md)\)")
EVERY = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def named(page: Path) -> list[str]:
    """Return the alerts that the heading of a page names."""
    heading = page.read_text().splitlines()[0].removeprefix("# ")
    return (heading.partition(": ")[2] or heading).split(", ")


def test_each_alert_leads_to_the_one_page_whose_heading_names_it() -> None:
    led = {name: rule["annotations"]["runbook_url"].rpartition("/")[2] for name, rule in alerts().items()}
    assert sorted((name, page.name) for page in PAGES for name in named(page)) == sorted(led.items())


def test_the_index_lists_each_page() -> None:
    assert LINK.findall(INDEX.read_text()) == [(page.stem, page.name) for page in PAGES]


@EVERY
def test_a_runbook_is_a_short_page_in_three_parts(page: Path) -> None:
    text = page.read_text()
    assert re.findall("^## (.+)$", text, re.M) == ["Signs", "Remedies"]
    assert len(text.splitlines()) <= LINES_MAX


@EVERY
def test_a_runbook_names_alerts_and_commands_that_exist(page: Path) -> None:
    text = page.read_text()
    commands = set(get_group(app).commands)
    severe = "Away|Down|Slow|Slowly|Fast|Behind|Failing|Full|Kept|Exhausted|Filling|Forgotten|Late|Mixed|Stuck|Held"
    assert set(re.findall(r"agent-board ([a-z-]+)\b", text)) <= commands
    assert "$DATABASE_URL" not in text, "an operator of the stack has no such variable"
    assert set(re.findall(rf"\b[A-Z]\w*?[a-zL](?:{severe})\b", text)) <= set(alerts())


@EVERY
def test_a_link_to_another_runbook_names_an_alert_of_it(page: Path) -> None:
    for names, other in LINK.findall(page.read_text()):
        assert other == INDEX.name or set(names.split(", ")) <= set(named(RUNBOOKS / other)), names

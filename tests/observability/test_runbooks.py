"""The runbooks: one per alert, in a common form, with commands and alerts that exist."""

import re

import typer.main

from services.operator.program import app
from tests.observability.expressions import alerts
from tests.processes import CHECKOUT

RUNBOOKS = CHECKOUT / "deploy/observability/runbooks"
SHARED = "Abuse"
"""To this page, the runbooks of several alerts lead."""
LINES_MAX = 40


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    assert {file.stem for file in RUNBOOKS.iterdir()} == {*alerts(), SHARED}
    leading = {file.stem for file in RUNBOOKS.iterdir() if f"]({SHARED}.md)" in file.read_text()}
    assert leading == {"RegistrationSurge", "RepeatedPostSurge"}


def test_a_runbook_is_a_short_page_in_three_parts() -> None:
    for file in RUNBOOKS.iterdir():
        text = file.read_text()
        assert text.startswith(f"# {file.stem}\n"), file.name
        assert re.findall("^## (.+)$", text, re.M) == ["How to see it", "What to do"], file.name
        assert len(text.splitlines()) <= LINES_MAX, file.name


def test_a_runbook_names_alerts_and_commands_that_exist() -> None:
    commands = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    severe = "Away|Down|Slow|Slowly|Fast|Behind|Failing|Full|Kept|Exhausted|Filling|Forgotten|Late|Mixed|Stuck|Held"
    for file in RUNBOOKS.iterdir():
        text = file.read_text()
        assert set(re.findall(r"agent-board ([a-z]+)\b", text)) <= commands, file.name
        assert set(re.findall(rf"\b[A-Z]\w*?[a-zL](?:{severe})\b", text)) <= set(alerts()), file.name

"""Measurements that tests make, shown after the last test."""

import pytest

FIGURES: dict[str, str] = {}


@pytest.fixture
def figures() -> dict[str, str]:
    """The tests' measurements by name, shown at the end."""
    return FIGURES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the measurements."""
    for name, figure in FIGURES.items():
        terminalreporter.write_line(f"{name}: {figure}")

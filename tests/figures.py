"""Measurements that tests make, shown after the last test."""

from collections.abc import Callable, Iterator

import pytest

FIGURES = "figures"
"""The property under which tests record a line for the end of the report."""


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Iterator[dict[str, str]]:
    """The test's measurements by name, shown at the end."""
    found: dict[str, str] = {}
    yield found
    for name, figure in found.items():
        record_property(FIGURES, f"{name}: {figure}")

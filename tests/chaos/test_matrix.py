"""Some rows of the matrix for a short time: `make chaos` runs all of it, for a chosen time."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos.matrix import run_rows
from tests.chaos.table import ROWS
from tests.figures import FIGURES

CHOSEN, SECONDS = ("api-rolled", "restored", "taken-names", "real-time-order"), 3.0


@pytest.mark.slow
async def test_every_promise_is_kept(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    rows = [row for row in ROWS if row.name in CHOSEN]
    broken = await run_rows(rows, tmp_path, "processes", SECONDS, say=lambda line: record_property(FIGURES, line))
    assert broken == {}

"""The short form of the matrix: `make chaos` runs all of it, for a chosen time."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos.matrix import run_rows
from tests.chaos.table import ROWS
from tests.figures import FIGURES


@pytest.mark.slow
async def test_every_promise_is_kept(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    broken = await run_rows(ROWS, tmp_path, "processes", None, say=lambda line: record_property(FIGURES, line))
    assert broken == {}

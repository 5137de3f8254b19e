"""A minute of faults by a seed. `make history` runs longer, and repeats a seed."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos.local_board import local_board
from tests.figures import FIGURES
from tests.history.run import run
from tests.history.traffic import CLIENTS

SECONDS = 60.0


@pytest.mark.slow
async def test_no_judge_finds_anything(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    seed = random.randrange(1_000_000)
    async with local_board(tmp_path, replicas=2) as board:
        verdict = await run(board, seed, SECONDS, CLIENTS, tmp_path / "history.jsonl")
    record_property(FIGURES, verdict.line)
    assert verdict.findings == [], f"make history SEED={seed}"

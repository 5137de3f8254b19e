"""Faults by a seed, and some single ones. `make chaos` runs longer, repeats a seed, and has all rows."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos.nemesis import PARTS, choose
from tests.chaos.run import run
from tests.chaos.starting import whole_board
from tests.figures import FIGURES
from tests.history.traffic import CLIENTS

SHORT, LONG = 2.0, 60.0
ALONE_SECONDS = 3.0
ALONE = (
    "api-rolled", "api-killed", "commit-cut", "connections-frozen", "standby-promoted", "taken-names",
)  # fmt: skip


def test_a_seed_chooses_faults_of_different_parts() -> None:
    part_of = {name: part for part, names in PARTS.items() for name in names}
    chances = [random.Random(5) for _ in range(2)]
    first, second = ([[row.name for row in choose(chance, 3)] for _ in range(200)] for chance in chances)
    assert first == second
    assert all(len({part_of[name] for name in names}) == 3 for names in first)
    assert {name for names in first for name in names} == part_of.keys()


@pytest.mark.parametrize("seconds", [SHORT, pytest.param(LONG, marks=pytest.mark.slow)])
async def test_no_judge_finds_anything(
    seconds: float, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    seed = random.randrange(1_000_000)
    async with whole_board(tmp_path) as board:
        signed = seconds == LONG
        verdict = await run(board, seed, seconds, CLIENTS, tmp_path / "history.jsonl", signed=signed)
    record_property(FIGURES, verdict.line)
    assert verdict.findings == [], f"make chaos SEED={seed}"
    assert {call.replica for call in verdict.calls if call.outcome == "ok"} >= set(board.urls)


@pytest.mark.slow
async def test_a_fault_alone_breaks_no_promise(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    lasts = (ALONE_SECONDS, ALONE_SECONDS)
    async with whole_board(tmp_path) as board:
        for name in ALONE:
            file = tmp_path / "history.jsonl"
            verdict = await run(board, 7, ALONE_SECONDS, CLIENTS, file, signed=False, only=name, lasts=lasts)
            record_property(FIGURES, verdict.lines[0])
            assert verdict.findings == [], name

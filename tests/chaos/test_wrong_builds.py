"""Histories under faults show what a wrong build does: `history/test_judges.py` has all that a judge finds."""

import time
from pathlib import Path

import pytest

from services.board.database.revision import functions
from tests.chaos.run import run
from tests.chaos.starting import local_board
from tests.history.traffic import CLIENTS
from tests.mutants.mutant import mutants
from tests.processes import ApiProcess

SECONDS_MAX = 300.0
SEED_SECONDS = 6.0
MUTANTS = {mutant.name: mutant for mutant in mutants()}


class WrongApi(ApiProcess):
    """A wrong build of the judges."""

    module = "tests.history.wrong_api"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "only", "judges"),
    [
        ("sends again without looking", "commit-cut", {"once"}),
        ("validates once a second", "", {"fresh", "linear"}),
        # mutants of SQL functions
        ("log_without_a_lock", "", {"once", "order", "answers", "content"}),
        ("own_posts_delivered", "", {"inbox"}),
    ],
)
async def test_a_wrong_build_is_found(name: str, only: str, judges: set[str], tmp_path: Path) -> None:
    mutant, found, seed = MUTANTS.get(name), set[str](), 0
    kind, settings = (ApiProcess, {}) if mutant else (WrongApi, {"WRONG": name})
    async with local_board(tmp_path, kind=kind, settings=settings) as board:
        if mutant:
            right = functions()[Path(mutant.file).stem]
            await board.query(right.replace(mutant.was, mutant.becomes))
        end = time.monotonic() + SECONDS_MAX
        while not found & judges and time.monotonic() < end:
            seed += 1
            verdict = await run(board, seed, SEED_SECONDS, CLIENTS, tmp_path / "calls", signed=False, only=only)
            found |= set(verdict.broken)
    assert found & judges

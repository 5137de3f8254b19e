"""Histories under faults show what a wrong build does: `history/test_judges.py` has all that a judge finds."""

import time
from pathlib import Path

import pytest

from services.board.database.revision import functions
from tests.chaos.run import run
from tests.chaos.starting import local_board
from tests.history.traffic import CLIENTS
from tests.mutants.mutant import mutants

SECONDS_MAX = 300.0
SEED_SECONDS = 6.0
ANY = ""
MUTANTS = {mutant.name: mutant for mutant in mutants()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault", "judges"),
    [
        ("log_without_a_lock", ANY, {"once", "order", "answers", "content"}),
        # while the fan-out runs, a post can be in the index before anybody searches for it
        ("search_without_the_tail", "fanout-away", {"fresh"}),
        ("own_posts_delivered", ANY, {"inbox"}),
    ],
)
async def test_a_wrong_function_of_the_database_is_found(
    name: str, fault: str, judges: set[str], tmp_path: Path
) -> None:
    mutant, found, seed = MUTANTS[name], set[str](), 0
    async with local_board(tmp_path) as board:
        right = functions()[Path(mutant.file).stem]
        await board.query(right.replace(mutant.was, mutant.becomes))
        end = time.monotonic() + SECONDS_MAX
        while not found & judges and time.monotonic() < end:
            seed += 1
            verdict = await run(board, seed, SEED_SECONDS, CLIENTS, tmp_path / "calls", signed=False, only=fault)
            found |= set(verdict.broken)
    assert found & judges

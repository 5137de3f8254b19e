"""The judges find wrong builds under faults. `python -m tests.chaos.wrong_builds` tries all of them."""

from pathlib import Path

import pytest

from services.board.database.revision import functions
from tests.chaos.wrong_builds import BUILDS, MUTANTS, seconds_until_found
from tests.processes import ApiProcess

IN_SHORT = ("sends again without looking", "log_without_a_lock", "validates once a second", "passes over events")


def test_each_wrong_build_is_one() -> None:
    for name, wrong in BUILDS.items():
        statements = wrong.function or wrong.statement or wrong.restored
        assert name in MUTANTS or statements or wrong.kind is not ApiProcess, name
        assert not wrong.function or functions()[wrong.function].count(wrong.was) == 1, name


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_SHORT)
async def test_a_wrong_build_is_found(name: str, tmp_path: Path) -> None:
    _, found = await seconds_until_found(name, tmp_path)
    assert found

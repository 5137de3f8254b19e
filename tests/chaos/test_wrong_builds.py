"""The matrix sees what wrong builds lose, double, miss and serve stale."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from services.board.database.revision import function_files
from tests.chaos.local_board import LocalBoard, local_board
from tests.chaos.run import measured
from tests.chaos.table import ROWS
from tests.processes import ApiProcess

SECONDS = 4
# A stale read is an accident of time, which a busy machine may not have in one run.
ATTEMPTS = 3
STEP = "WHERE p.id > done_id ORDER BY"
WRONG_STEP = "WHERE p.id > done_id + 1 ORDER BY"


class WrongApi(ApiProcess):
    """A wrong build of the matrix."""

    module = "tests.chaos.wrong_api"


class StaleApi(ApiProcess):
    """A wrong build of the tests of the memory."""

    module = "tests.cache.wrong_api"


@dataclass(frozen=True)
class Wrong:
    """A wrong build, the row that it runs through, and the figure that must show its fault."""

    figure: str
    row: str
    build: str = ""
    kind: type[ApiProcess] = ApiProcess


BUILDS = (
    Wrong("lost", "snapshot-held", "acknowledges what is rolled back", WrongApi),
    Wrong("doubled", "commit-cut", "sends again without looking", WrongApi),
    Wrong("missed", "fanout-killed"),
    Wrong("stale", "snapshot-held", "validates once a second", StaleApi),
)


async def pass_over_posts(board: LocalBoard) -> None:
    """Replace the step of the fan-out by one that leaves out the first of the next posts."""
    right = function_files()["deliver"].read_text()
    assert STEP in right
    await board.query(right.replace(STEP, WRONG_STEP))


@pytest.mark.slow
@pytest.mark.parametrize("wrong", BUILDS, ids=lambda wrong: str(wrong.figure))
async def test_a_wrong_build_is_caught(wrong: Wrong, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.chaos.run.DELIVERY_SECONDS", 2.0)
    [row] = [row for row in ROWS if row.name == wrong.row]
    settings = {"WRONG": wrong.build} if wrong.build else {}
    async with local_board(tmp_path, kind=wrong.kind, settings=settings) as board:
        if wrong.figure == "missed":
            await pass_over_posts(board)
        for _ in range(ATTEMPTS):
            figures = await measured(row, board, SECONDS)
            if getattr(figures, wrong.figure):
                break
    assert getattr(figures, wrong.figure) > 0, figures.line
    assert f"{wrong.figure} is not 0" in figures.broken

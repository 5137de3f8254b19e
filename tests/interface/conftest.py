"""A board that is compared with a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

# must run before these modules are imported: pytest then shows differences in full
for module in ("comparison", "agents", "posts", "operators", "pages"):
    pytest.register_assert_rewrite(f"tests.interface.{module}")

from tests.interface.board import Board  # noqa: E402
from tests.interface.records import BASE_URL  # noqa: E402
from tests.processes import ApiProcess, started_together  # noqa: E402


@pytest.fixture
def board(database: str, tmp_path: Path) -> Iterator[Board]:
    apis = [ApiProcess(database, tmp_path / f"api{number}", BASE_URL=BASE_URL) for number in range(2)]
    with started_together(apis):
        board = Board(apis, database)
        yield board
        board.close()

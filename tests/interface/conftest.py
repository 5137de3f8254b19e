"""A board that is compared with a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

# must run before these modules are imported: pytest then shows differences in full
for module in ("comparison", "agents", "posts", "pages"):
    pytest.register_assert_rewrite(f"tests.interface.{module}")

from tests.interface.board import Board  # noqa: E402


@pytest.fixture
def board(database: str, tmp_path: Path) -> Iterator[Board]:
    board = Board(database, tmp_path)
    yield board
    board.close()

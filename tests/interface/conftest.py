"""A board that is held against a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

# before they are imported: what differs is shown in full
for module in ("comparison", "agents", "posts", "pages"):
    pytest.register_assert_rewrite(f"tests.interface.{module}")

from tests.interface.board import Board  # noqa: E402


@pytest.fixture
def board(database: str, tmp_path: Path) -> Iterator[Board]:
    board = Board(database, tmp_path)
    yield board
    board.close()

"""An empty board for each test: the dashboard's selections depend on everything that is on the board."""

import pytest

from tests.boards import EmptyBoard
from tests.operations.hand import Operator
from tests.web import Web


@pytest.fixture
def web(empty_web: Web) -> Web:
    return empty_web


@pytest.fixture
def operator(empty_board: EmptyBoard) -> Operator:
    return empty_board.operator

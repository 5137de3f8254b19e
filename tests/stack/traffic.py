"""The load of the fault matrix on a stack."""

from tests.chaos.lasting import LastingTraffic
from tests.chaos.stack_board import StackBoard
from tests.stack.make import Board


class Traffic(LastingTraffic):
    """Runs in its own thread for the duration of the `with` block."""

    def __init__(self, board: Board) -> None:
        super().__init__(StackBoard(board))

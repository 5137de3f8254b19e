"""The board and a plain model of it give the same answers after any sequence of steps by agents, operators and readers.

Hypothesis chooses the steps. After each step every read of the interface is compared, in whole records. The reads are
conditional: a resource must answer 304 if it has not changed, and must not if it has. Documents are compared after
each command of operators: tests/operator/test_reads_after_commands.py.
"""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from tests.interface.board import Board
from tests.interface.everything import everything
from tests.interface.pages import Pages

# Each run chooses other steps, also in a pipeline. A failure prints the shortest failing sequence of steps, and a
# @reproduce_failure that repeats them when it is placed above OnThisBoard.
SHORT = settings(
    derandomize=False,
    max_examples=2,
    stateful_step_count=12,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
LONG = settings(SHORT, max_examples=40, stateful_step_count=15)


class BoardIsItsModel(Pages):
    """All steps, and the checks after each."""

    @invariant()
    def everything_read_equals_the_model(self) -> None:
        self.board.operator.stop_the_clock()
        self.compared.compare(everything(self.model), conditionally=True)

    def teardown(self) -> None:
        """Compare every answer in full once more at the end."""
        self.compared.compare(everything(self.model))
        self.use_old_tokens()


@pytest.mark.parametrize("profile", [SHORT, pytest.param(LONG, marks=pytest.mark.slow)], ids=["short", "long"])
def test_the_board_is_its_model(board: Board, profile: settings) -> None:
    class OnThisBoard(BoardIsItsModel):
        def __init__(self) -> None:
            super().__init__(board)

    run_state_machine_as_test(OnThisBoard, settings=profile)

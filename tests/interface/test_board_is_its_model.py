"""The board and a plain model of it answer alike, after each of any steps that agents, operators and readers may take.

Hypothesis chooses the steps. After each of them everything that the interface shows is read and compared, in whole
records. It is read conditionally: what has not changed must be 304, what has must not.
"""

from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from tests.interface.board import Board
from tests.interface.everything import everything
from tests.interface.pages import Pages

# Other steps at every run, also in a pipeline. A failure prints its steps, made as few as possible, and a
# @reproduce_failure that repeats them when it stands over OnThisBoard.
PROFILE = settings(
    derandomize=False,
    max_examples=80,
    stateful_step_count=15,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)


class BoardIsItsModel(Pages):
    """All steps, and what must hold after each."""

    @invariant()
    def everything_read_equals_the_model(self) -> None:
        self.board.operator.stop_the_clock()
        self.compared.compare(everything(self.model), conditionally=True)

    def teardown(self) -> None:
        """At the end it should equal it once more, each answer whole."""
        self.compared.compare(everything(self.model))
        self.use_old_tokens()


def test_the_board_is_its_model(board: Board) -> None:
    class OnThisBoard(BoardIsItsModel):
        def __init__(self) -> None:
            super().__init__(board)

    run_state_machine_as_test(OnThisBoard, settings=PROFILE)

"""The rows of the matrix."""

from tests.chaos import attacks, database, elsewhere, processes, standby, valkey
from tests.chaos.row import Row

ROWS: tuple[Row, ...] = (
    *processes.ROWS, *database.ROWS, *standby.ROWS, *valkey.ROWS, *attacks.ROWS,
    *elsewhere.ROWS,
)  # fmt: skip

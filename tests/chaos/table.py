"""The rows of the matrix."""

from tests.chaos import clients, database, elsewhere, processes, valkey
from tests.chaos.row import Row

ROWS: tuple[Row, ...] = (*processes.ROWS, *database.ROWS, *valkey.ROWS, *clients.ROWS, *elsewhere.ROWS)

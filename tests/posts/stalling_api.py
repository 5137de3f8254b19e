"""An API process that soon reports writes which are not committed, for tests in which a table is locked.

On a slow machine it is wrong now and then, and its health is 503 for a moment.
"""

import sys

from services.api.__main__ import main
from services.board.database import write_queue

write_queue.STALLED_SECONDS = 1.0  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())

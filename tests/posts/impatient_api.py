"""An API process that soon takes a silent database for dead, for tests in which it is dead, and waits for no schema.

On a slow machine it is wrong now and then, and answers a call with 503.
"""

import sys

from services.api.__main__ import main
from services.api.cache import change_feed
from services.board.database import connections, readiness

connections.COMMAND_SECONDS = 1.0
readiness.WAIT_SECONDS = 0
change_feed.READ_SECONDS = 0.5  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())

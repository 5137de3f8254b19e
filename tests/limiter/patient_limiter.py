"""A limiter that waits for Redis as long as it takes: for tests of decisions, not of speed.

Such a test takes longer on a slow machine, but does not fail.
"""

import sys

from services.limiter import window
from services.limiter.__main__ import main

window.ANSWER_SECONDS = 60  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())

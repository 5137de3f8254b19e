"""An API process that waits for the limiter as long as it takes: for tests of decisions, not of speed."""

import sys

from services.api import limiter_client
from services.api.__main__ import main

limiter_client.ANSWER_SECONDS = 60  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())

"""A fan-out process that waits neither for the schema nor long for a step in flight, for tests of both deadlines."""

import sys

from services.board.database import readiness
from services.fanout.__main__ import main
from services.process import lifecycle

readiness.WAIT_SECONDS = 0
lifecycle.DRAIN_SECONDS = 1

if __name__ == "__main__":
    sys.exit(main())

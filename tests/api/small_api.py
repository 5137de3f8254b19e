"""An API process with little room for unread answers, for tests that fill it."""

import sys

from services.api.__main__ import main
from services.api.http import unsent

BYTES_MAX = unsent.BYTES_MAX = 8 * 2**20

if __name__ == "__main__":
    sys.exit(main())

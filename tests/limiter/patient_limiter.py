"""The limiter with more patience than the api has, for tests that ask what is decided and not how soon.

So a slow machine makes such a test slow and never makes it fail.
"""

import sys

from services.limiter import window
from services.limiter.__main__ import main

window.CONNECT_SECONDS = window.ANSWER_SECONDS = 60  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())

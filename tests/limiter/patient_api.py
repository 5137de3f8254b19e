"""The api with more patience for the limiter than agents have, for tests that ask what is decided and not how soon."""

import sys

from services.api import limiter_client
from services.api.__main__ import main

limiter_client.ANSWER_SECONDS = 60  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())

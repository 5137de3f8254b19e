"""The api without the least wait of a minute and without the spread: agents are told when a slot is free, no later."""

import sys

from services.api import responses
from services.api.__main__ import main

vars(responses).update(RETRY_AFTER_MIN=0, RETRY_AFTER_JITTER=0)

if __name__ == "__main__":
    sys.exit(main())

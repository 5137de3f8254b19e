"""The api with more patience than agents have, for tests that hold it up until they have seen what they wait for.

So a slow machine makes such a test slow and never makes it fail.
"""

import sys

from services.api import committer
from services.api.__main__ import main
from services.board import database

database.WRITING.update(lock_timeout="300s", statement_timeout="300s")
committer.PATIENCE_SECONDS = committer.COMMIT_SECONDS = 300

if __name__ == "__main__":
    sys.exit(main())

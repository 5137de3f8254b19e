"""A patient API process with room for five waiting writes, for tests that fill it."""

import sys

from services.api.__main__ import main
from services.board.posts.commits import committer
from tests.posts import patient_api  # noqa: F401 - its constants, too

committer.WRITES_WAITING_MAX = 5

if __name__ == "__main__":
    sys.exit(main())

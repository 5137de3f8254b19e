"""An API process with more patience than agents have, for tests that delay it until an event.

A slow machine thus makes such a test slow, but never makes it fail.
"""

import sys

from services.api import limiter_client
from services.api.__main__ import main
from services.api.cache import change_feed, memory
from services.api.request import auth, writes
from services.board.database import connections, pool
from services.board.posts.commits import committer

connections.READING.update(statement_timeout="300s")
connections.WRITING.update(lock_timeout="300s", statement_timeout="300s")
connections.COMMAND_SECONDS = pool.WRITE_WAIT_SECONDS = 300
committer.WRITE_TIMEOUT_SECONDS = committer.COMMIT_SECONDS = writes.PATIENCE_SECONDS = 300
change_feed.READ_SECONDS = change_feed.CONNECT_SECONDS = 300  # type: ignore[misc]
memory.BUILD_SECONDS = auth.LOOK_UP_SECONDS = 300  # type: ignore[misc]
limiter_client.ANSWER_SECONDS = 60  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())

"""An API process that soon gives up on clients, but not on the database, for tests of its deadlines.

A client that does what it should is not cut off, however busy the machine is: it sends each request in one packet.
"""

import sys

from services.api.__main__ import main
from services.api.http import receiving, server
from services.board.database import connections
from services.board.posts.commits import committer

server.HEAD_SECONDS = receiving.BODY_SECONDS = 0.5  # type: ignore[assignment,misc]
server.RESPONSE_SECONDS = 1  # type: ignore[misc]
for settings in (connections.WRITING, connections.READING):
    settings.update(lock_timeout="300s", statement_timeout="300s")
committer.WRITE_TIMEOUT_SECONDS = committer.COMMIT_SECONDS = 300

if __name__ == "__main__":
    sys.exit(main())

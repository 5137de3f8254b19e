"""Private reads that many agents make: one statement reads for all calls that wait, as the change feed does.

Polls arrive together, and a statement of its own would cost each more than everything else. A call shares a statement
only before it is sent, so it sees whatever was answered before it arrived.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import asyncpg

from services.board import inbox, streams
from services.board.database.connections import Database
from services.contract.requests import InboxQuery, NotificationsQuery
from services.process.batcher import Batcher

ROWS_MAX: Final = 1000
"""How many rows the calls of one statement may ask for together."""

Rows = Sequence[asyncpg.Record]


class SharedReads:
    """One batcher for each kind of read. An item is the id of an agent with its query."""

    def __init__(self, reads: Database) -> None:
        self.inboxes: Batcher[tuple[int, InboxQuery], Rows] = Batcher(
            "inboxes", partial(inbox.read_inboxes, reads), size_max=ROWS_MAX, weigh=rows_wanted
        )
        self.notifications: Batcher[tuple[int, NotificationsQuery], Rows] = Batcher(
            "notifications", partial(streams.read_notifications, reads), size_max=ROWS_MAX, weigh=rows_wanted
        )

    def busy_seconds(self) -> float:
        """For how long the oldest statement has been in flight; 0 without any."""
        return max(self.inboxes.busy_seconds(), self.notifications.busy_seconds())


def rows_wanted(asked: tuple[int, InboxQuery | NotificationsQuery]) -> int:
    return asked[1].limit + 1

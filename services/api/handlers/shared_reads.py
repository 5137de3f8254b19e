"""Reads that many agents make at the same time: one statement reads for all calls that wait, as the change feed does.

A separate statement for each call would cost more than the rest of the call. A call shares a statement
only before it is sent, so it sees whatever was answered before it arrived.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, TypeVar

import asyncpg

from services.board.access.tokens import Caller
from services.board.database.connections import Database
from services.board.database.failures import concerns_all
from services.board.errors import RevokedToken
from services.board.inbox import inbox
from services.board.overview import home
from services.board.posts import streams
from services.contract.requests.queries import HomeQuery, InboxQuery, NotificationsQuery
from services.process.queue import Queue

ROWS_MAX: Final = 1000
"""How many rows the calls of one statement may ask for together."""
HOMES_MAX: Final = 16
"""How many dashboards one statement reads: each has several lists of long posts."""

Rows = Sequence[asyncpg.Record]
Q = TypeVar("Q", HomeQuery, InboxQuery, NotificationsQuery)


class SharedReads:
    """One queue for each kind of read. An item is a caller with its query.

    The statements check the tokens, and give None for one that does not work.
    """

    def __init__(self, reads: Database) -> None:
        self.inboxes: Queue[tuple[Caller, InboxQuery], Rows | None] = Queue(
            "inboxes",
            partial(inbox.read_inboxes, reads),
            size_max=ROWS_MAX,
            weigh=rows_wanted,
            is_shared=concerns_all,
        )
        self.notifications: Queue[tuple[Caller, NotificationsQuery], Rows | None] = Queue(
            "notifications",
            partial(streams.read_notifications, reads),
            size_max=ROWS_MAX,
            weigh=rows_wanted,
            is_shared=concerns_all,
        )
        self.homes: Queue[tuple[Caller, HomeQuery], Rows | None] = Queue(
            "homes", partial(home.read_homes, reads), size_max=HOMES_MAX, is_shared=concerns_all
        )

    async def read(self, kind: Queue[tuple[Caller, Q], Rows | None], caller: Caller, query: Q) -> Rows:
        """Return the rows of a read. Raises RevokedToken unless the caller's token works."""
        rows = await kind.submit((caller, query))
        if rows is None:
            raise RevokedToken()
        return rows


def rows_wanted(asked: tuple[Caller, InboxQuery | NotificationsQuery]) -> int:
    return asked[1].limit + 1

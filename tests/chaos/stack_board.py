"""The board in containers, behind its load balancer, as the load and its judges see it."""

import asyncio

from tests.history.audited import Rows
from tests.stack import make

SEPARATOR = "|"


class StackBoard:
    """A running stack."""

    # LIMIT_POSTS of the stack under test, and a pause well below the load balancer's limit for one address
    quota, window, pause = 100, 60, 1.5
    log_key = ""

    def __init__(self, board: make.Board) -> None:
        self.board = board

    @property
    def urls(self) -> list[str]:
        return [self.board.url]

    async def query(self, statement: str) -> Rows:
        lines = (await asyncio.to_thread(self.board.sql, statement)).splitlines()
        return [line.split(SEPARATOR) for line in lines]

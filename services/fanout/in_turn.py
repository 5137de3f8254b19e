"""Several consumers on one connection: each of them has little to do, and connections are scarce."""

from collections import deque
from typing import Final

import asyncpg

from .worker import Consumer, Work


class InTurn:
    """Takes a step of each consumer in every turn. If one fails, the next turn begins with the one after it."""

    def __init__(self, *consumers: Consumer) -> None:
        self.consumers: Final = deque(consumers)
        self.name = " and ".join(consumer.name for consumer in consumers)

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Take one step of each, and return the most that one of them found."""
        found = set()
        for _ in range(len(self.consumers)):
            consumer = self.consumers[0]
            # a failure ends this turn
            self.consumers.rotate(-1)
            found.add(await consumer.step(connection))
        return next((work for work in (Work.MORE, Work.ALL) if work in found), Work.NONE)

    def failed(self, error: Exception) -> None:
        """Report the failure to each: all of them repeat their steps."""
        for consumer in self.consumers:
            consumer.failed(error)

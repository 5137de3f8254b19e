"""Several consumers on one connection: each of them has little to do, and connections are scarce."""

from typing import Final

import asyncpg

from .worker import Consumer, Work


class InTurn:
    """Takes a step of each consumer in every turn, in their order. If one fails, those after it wait for the next."""

    def __init__(self, *consumers: Consumer) -> None:
        self.consumers: Final = consumers
        self.name = " and ".join(consumer.name for consumer in consumers)

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Take one step of each, and return the most that one of them found."""
        found = [await consumer.step(connection) for consumer in self.consumers]
        return next((work for work in (Work.MORE, Work.ALL) if work in found), Work.NONE)

    def failed(self, error: Exception) -> None:
        """Report the failure to each: all of them repeat their steps."""
        for consumer in self.consumers:
            consumer.failed(error)

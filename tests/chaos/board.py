"""A board to break: the damage that a fault may do to its parts, on this machine or in containers."""

from collections.abc import Sequence
from typing import Protocol

from tests.history.audited import Audited


class Board(Audited, Protocol):
    """A board to break. `api` and `fanout` have several replicas, `limiter`, `valkey` and `postgresql` one each.

    A fault that a seed chooses lasts between the two `fault_seconds`. A `generous` board limits posts only.
    """

    name: str
    generous: bool
    fault_seconds: tuple[float, float]

    async def operate(self, *words: str) -> bool:
        """Run the operator's command, past every fault of the connections; return whether it succeeded."""

    async def kill(self, service: str, number: int = 0) -> None:
        """Kill a replica with SIGKILL, and return when it has been started again."""

    async def stop(self, service: str, number: int = 0) -> None:
        """Stop a replica in order."""

    async def start(self, service: str, number: int = 0) -> None:
        """Start a replica that was stopped, and return when it is ready."""

    async def freeze(self, service: str, number: int = 0) -> None:
        """Stop all processes of a replica with SIGSTOP, or as the engine does."""

    async def thaw(self, service: str, number: int = 0) -> None:
        """Let a frozen replica continue."""

    def replicas(self, service: str) -> int:
        """Return how many replicas a service has."""

    async def mend(self) -> None:
        """Start and continue whatever a row has left dead or frozen, and wait until everything is ready."""

    async def unwell(self) -> Sequence[str]:
        """Return the names of the replicas that are not ready."""


class Skipped(Exception):
    """The reason why a fault cannot happen here, in one sentence."""

"""A board to break: the damage that a fault may do to its parts, on this machine or in containers."""

from collections.abc import Sequence
from typing import Protocol

Rows = list[list[str]]


class Audited(Protocol):
    """A running board whose answers can be compared with its database. `log_key` is the verifier key of its log."""

    quota: int
    window: int
    pause: float
    log_key: str

    @property
    def urls(self) -> list[str]:
        """The addresses of the API processes, or that of the load balancer."""

    async def query(self, statement: str) -> Rows:
        """Run a statement in the database, past every fault of its connections; return the values as text."""


class Board(Audited, Protocol):
    """A board to break. `api` and `fanout` have several replicas, `limiter`, `valkey` and `postgresql` one each.

    A fault that a seed chooses lasts between the two `fault_seconds`.
    """

    name: str
    fault_seconds: tuple[float, float]

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
    """The reason why a row cannot run here, in one sentence."""

"""A board to break: the damage that a fault may do to its parts, on this machine or in containers."""

from collections.abc import Sequence
from typing import Protocol

Rows = list[list[str]]

LOG = """
SELECT id, coalesce(title, '') FROM posts WHERE id >= {first} ORDER BY id
"""
# the posts of each agent that came sooner after the agent's post `quota` places before than the limit allows
OVER = """
SELECT count(*) FROM (
    SELECT created - lag(created, {quota}) OVER (PARTITION BY author_id ORDER BY id) AS passed
    FROM posts WHERE id >= {first}
) gaps WHERE passed < interval '{window} s'
"""


class Audited(Protocol):
    """A running board whose answers can be compared with its database."""

    quota: int
    window: int
    pause: float

    @property
    def urls(self) -> list[str]:
        """The addresses of the API processes, or that of the load balancer."""

    async def query(self, statement: str) -> Rows:
        """Run a statement in the database, past every fault of its connections; return the values as text."""


class Board(Audited, Protocol):
    """A board to break. `api` and `fanout` have several replicas, `limiter`, `valkey` and `postgresql` one each."""

    name: str

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


async def posts_since(board: Audited, first: int) -> list[tuple[int, str]]:
    """Return the ids and titles of the posts from an id on; a reply has an empty title."""
    return [(int(row[0]), row[1]) for row in await board.query(LOG.format(first=first))]


async def posts_over_the_limit(board: Audited, first: int) -> int:
    """Return how many posts exceed the limit of their agents."""
    [[count]] = await board.query(OVER.format(first=first, quota=board.quota, window=board.window))
    return int(count)

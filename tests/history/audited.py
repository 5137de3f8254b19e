"""A board whose calls are recorded."""

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

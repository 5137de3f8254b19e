"""The answers that wait for their clients. Their bytes are bounded: clients that do not read end no process."""

from collections import Counter as Tally
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import prometheus_client

from services.process.metrics import Registry

BYTES_MAX = 64 * 2**20
"""For all that wait: some thousand clients behind, in a container of 512 MiB."""
PART_BYTES: Final = 2**16
"""How much of a long body is written at once. A body of this size fits into the buffer of a socket that is empty."""
PATIENCE_SECONDS: Final = 30.0
BYTES_PER_SECOND: Final = 2**15
"""How fast a client must take a long answer, once its patience seconds are over."""
SCARCE_SECONDS: Final = 5.0
"""How long an answer may wait for its client while more than half of the room is taken."""


class Unsent:
    """Counts what waits for clients, up to BYTES_MAX. A long body counts once, however many clients wait for it.

    Each client counts with a part besides, because the transport of its connection holds one.
    """

    def __init__(self, registry: Registry) -> None:
        self.bytes = 0
        self.waiting: Tally[int] = Tally()  # how many clients wait for a long body, by its identity
        self.refused = prometheus_client.Counter(
            "agent_board_unsent_refused_total",
            "Answers that were not sent, or not whole, because clients had left too many bytes unread.",
            registry=registry,
        )
        prometheus_client.Gauge(
            "agent_board_unsent_bytes", "Bytes of answers that wait for their clients.", registry=registry
        ).set_function(lambda: self.bytes)
        prometheus_client.Gauge(
            "agent_board_unsent_bytes_max", "Most bytes of answers that may wait for their clients.", registry=registry
        ).set(BYTES_MAX)

    def admit(self, body: bytes) -> bool:
        """Return whether a client may wait for this body, and count a refusal. Short bodies fit into a socket."""
        if len(body) <= PART_BYTES or self.has_room(body):
            return True
        self.refused.inc()
        return False

    def has_room(self, body: bytes) -> bool:
        """Return whether one more client may wait for this body."""
        return self.bytes + self.cost(body) <= BYTES_MAX

    def cost(self, body: bytes) -> int:
        """Return the bytes that one more client, or one less, makes of this body."""
        if len(body) <= PART_BYTES:
            return len(body)
        return PART_BYTES + (0 if self.waiting[id(body)] else len(body))

    def seconds(self, body: bytes) -> float:
        """Return how long a client may take for this body."""
        if 2 * self.bytes > BYTES_MAX:
            return SCARCE_SECONDS
        return PATIENCE_SECONDS + len(body) / BYTES_PER_SECOND

    @contextmanager
    def hold(self, body: bytes) -> Iterator[None]:
        """Count a client that waits for this body. Raises TimeoutError if there is no room for a short one."""
        if not self.has_room(body):
            self.refused.inc()
            raise TimeoutError
        self.bytes += self.cost(body)
        self.waiting[id(body)] += 1
        try:
            yield
        finally:
            self.waiting[id(body)] -= 1
            self.bytes -= self.cost(body)
            if not self.waiting[id(body)]:
                del self.waiting[id(body)]

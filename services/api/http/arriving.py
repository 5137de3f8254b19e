"""The bodies that have arrived in part. Their bytes are bounded: clients that do not send the rest end no process."""

from typing import Final

from sanic.http import Http  # Sanic exports the type of a request's stream only here.

BYTES_MAX: Final = 64 * 2**20
SCARCE_SECONDS: Final = 5.0
"""How long the rest of a body may take while more than half of the room is taken."""


class Arriving:
    """Counts the bytes of the bodies that are being received."""

    def __init__(self) -> None:
        self.bytes = 0

    def seconds(self, most: float) -> float:
        """Return how long the next body may take: `most` while there is room."""
        return min(most, SCARCE_SECONDS) if 2 * self.bytes > BYTES_MAX else most

    def must_end(self, stream: Http) -> bool:
        """Return whether there is no room to wait for more of a body. A body that has arrived in full needs no room."""
        body: object = stream.request_body  # Sanic's type of it lacks a value
        is_whole = stream.recv_buffer or not (body == "chunked" or stream.request_bytes_left)
        return self.bytes > BYTES_MAX and not is_whole

"""What is known of a repeated read: the meaning of its URL and of its header fields."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sanic.compat import Header

from services.api.http.encodings import takes_gzip
from services.api.http.negotiation import wants_page
from services.api.http.protocol import Protocol
from services.api.http.stream import Head
from services.contract.operations import Operation

from .auth import bearer_token
from .shared_reads import Poll


class Target(NamedTuple):
    """The meaning of a URL: its operation and query, and the key of its answer in memory or how it is polled."""

    raw_url: bytes
    parsed_url: Any
    operation: Operation
    query: Any
    key: Hashable | None
    poll: Poll | None


class Fields(NamedTuple):
    """The meaning of the header fields of a head: the token that they present, and the form of the answer.

    `if_none_match` are the values of that field, `gzip` is whether gzip is accepted, `page` whether a page is wanted.
    """

    headers: Header
    token: str | None
    page: bool
    gzip: bool
    if_none_match: list[str]

    @classmethod
    def of(cls, headers: Header) -> "Fields":
        coded, known = takes_gzip(headers.getall("accept-encoding", [])), headers.getall("if-none-match", [])
        return cls(headers, bearer_token(headers), wants_page(headers), coded, known)


@dataclass(eq=False, slots=True)
class Asked:
    """A request of known meaning: its connection, its bytes and its arrival (`perf_counter`)."""

    connection: Protocol
    target: Target
    fields: Fields
    method: str
    received: bytes
    began: float

    @property
    def head(self) -> Head:
        """What the ordinary path would parse from its bytes."""
        return Head(self.target.raw_url, self.target.parsed_url, self.fields.headers, "1.1", self.method, True)

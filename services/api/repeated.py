"""The known meanings of URLs and of header fields, by which shortcuts recognise a read."""

from collections.abc import Hashable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, NamedTuple

from httptools import HttpParserInvalidURLError, parse_url
from sanic.compat import Header

from services.api.cache.bounded import BoundedDict
from services.api.cache.reads import CachedReads
from services.api.http.encodings import takes_gzip
from services.api.http.grammar import check_head
from services.api.http.head import Head, HeadRequest
from services.api.http.negotiation import wants_page
from services.api.http.protocol import Protocol
from services.api.http.responses import Answer
from services.api.http.stream import HEAD_BYTES_MAX, HEADS_MAX
from services.board.errors import BoardError
from services.contract.operations import Operation

from .auth import bearer_token
from .call import Call
from .routes import UNKNOWN, Routes
from .shared_reads import Poll, SharedReads

LINE_END: Final = b"\r\n"
URLS_MAX: Final = 10_000
METHODS: Final = {b"GET": "GET", b"HEAD": "HEAD"}
PROTOCOL: Final = b"HTTP/1.1"
POLLED: Final = (200, 304)


class Target(NamedTuple):
    """The meaning of a URL: its operation, path and query, and how it is answered.

    `key` is that of its answer in memory, which `handler` builds; `poll` is how it is polled.
    """

    raw_url: bytes
    parsed_url: Any
    operation: Operation
    path: Any
    query: Any
    key: Hashable | None
    handler: Any
    poll: Poll | None

    @classmethod
    def of(cls, request: HeadRequest, call: Call, poll: Poll | None) -> "Target":
        return cls(
            request.raw_url,
            request.parsed_url,
            call.operation,
            call.path,
            call.query,
            call.memory_key,
            call.handler,
            poll,
        )


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
        """The head that the ordinary path would parse from its bytes."""
        return Head(self.target.raw_url, self.target.parsed_url, self.fields.headers, "1.1", self.method, True)


class KnownHeads:
    """The meanings of URLs, and of header fields from requests that the ordinary path has answered.

    A URL may mean a page for people or a document for programs, so the fields decide which meaning is looked up.
    """

    def __init__(self, routes: Routes, reads: CachedReads, shared: SharedReads) -> None:
        self.routes = routes
        self.reads = reads
        self.shared = shared
        self.targets: Final[BoundedDict[tuple[bytes, bool], Target]] = BoundedDict(URLS_MAX)
        self.fields: Final[BoundedDict[bytes, Fields]] = BoundedDict(HEADS_MAX)

    def learn(self, received: bytes, request: HeadRequest, call: Call, answer: Answer) -> None:
        """Keep the meaning of a head whose answer may be in memory, or of a poll, on a connection that stays open.

        An answer that names ignored parameters is not the one in memory.
        """
        line, _, lines = received.partition(LINE_END)
        poll = self.shared.poll_of(call.operation.name, call.query) if answer.status in POLLED else None
        is_kept = call.memory_key is not None and answer.head
        if not (is_kept or poll) or call.ignored or not line.endswith(PROTOCOL):
            return
        fields = self.fields.get(lines)
        if fields is None:
            fields = Fields.of(request.headers)
            self.fields.put(lines, fields)
        if (request.raw_url, fields.page) not in self.targets.entries:
            self.targets.put((request.raw_url, fields.page), Target.of(request, call, poll))

    def find(self, connection: Protocol, received: bytes) -> Asked | None:
        """Return the request that these bytes are, if they are one head with known fields and a known URL."""
        if len(received) > HEAD_BYTES_MAX:
            return None
        line, _, lines = received.partition(LINE_END)
        fields, words = self.fields.get(lines), line.split(b" ")
        if fields is None or len(words) != 3 or words[0] not in METHODS or words[2] != PROTOCOL:
            return None
        target = self.targets.get((words[1], fields.page)) or self.resolve(connection, received, words[1], fields)
        if target is None:
            return None
        return Asked(connection, target, fields, METHODS[words[0]], received, perf_counter())

    def resolve(self, connection: Protocol, received: bytes, url: bytes, fields: Fields) -> Target | None:
        """Return the meaning of a new URL, if it is a read whose answer may be in memory.

        The ordinary path answers everything else, and every error.
        """
        call = Call(UNKNOWN, 0)
        try:
            check_head(received)
            request = Head(url, parse_url(url), fields.headers, "1.1", "GET", True).request(connection)
            endpoint = self.routes.find(request, call)
            if not endpoint.remembered:
                return None
            call.memory_key, call.handler = self.reads.find_key(request, call), endpoint.handler
        except (BoardError, HttpParserInvalidURLError):
            return None
        if call.ignored:
            return None
        target = Target.of(request, call, None)
        self.targets.put((url, fields.page), target)
        return target

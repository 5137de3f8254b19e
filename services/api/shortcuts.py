"""Answers public reads in the protocol: without a task, a request or a second look at the head.

Once the ordinary path has answered a URL, and a request with the same header fields, a head with both waits for the
change feed like every read, and gets what memory has then. Agents send the same fields with every URL. The ordinary
path takes over whatever a shortcut cannot do: a missing entry, a process that stops, a client that reads slowly,
pipelined requests.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sanic.compat import Header
from sanic.request import Request

from services.api.cache.answer import CachedAnswer
from services.api.cache.bounded import BoundedDict
from services.api.cache.feed import Outcome
from services.api.cache.reads import own_key
from services.api.http.encodings import takes_gzip
from services.api.http.negotiation import wants_page
from services.api.http.protocol import Protocol
from services.api.http.request_id import new_request_id, ulid
from services.api.http.responses import Answer
from services.api.http.stream import HEAD_BYTES_MAX, HEADS_MAX, Head
from services.api.http.wire import message
from services.contract.operations import Operation
from services.process.metrics import Registry

from .auth import bearer_token
from .call import Call

if TYPE_CHECKING:
    from .dispatch import Dispatch


LINE_END: Final = b"\r\n"
URLS_MAX: Final = 10_000
METHODS: Final = {b"GET": "GET", b"HEAD": "HEAD"}
PROTOCOL: Final = b"HTTP/1.1"


class Target(NamedTuple):
    """The meaning of a URL: its operation, and the key of its answer in memory."""

    raw_url: bytes
    parsed_url: Any
    operation: Operation
    key: Hashable


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


class Shortcuts:
    """Known URLs, known header fields, and the parts of the process that answer them.

    A URL may mean a page for people or a document for programs, so the fields decide which meaning is looked up.
    """

    def __init__(self, dispatch: "Dispatch", registry: Registry) -> None:
        self.dispatch = dispatch
        self.accounting = dispatch.accounting
        self.memory = dispatch.reads.memory
        self.feed = dispatch.reads.feed
        self.targets: Final[BoundedDict[tuple[bytes, bool], Target]] = BoundedDict(URLS_MAX)
        self.fields: Final[BoundedDict[bytes, Fields]] = BoundedDict(HEADS_MAX)
        self.answered = registry.count(
            "agent_board_protocol_answers_total", "Repeated reads answered in the protocol, from memory."
        )

    def learn(self, received: bytes, request: Request, call: Call, answer: Answer) -> None:
        """Keep the meaning of a head whose answer may be in memory, on a connection that stays open.

        An answer that names ignored parameters is not the one in memory.
        """
        line, _, lines = received.partition(LINE_END)
        if call.memory_key is None or not answer.head or call.ignored or not line.endswith(PROTOCOL):
            return
        fields = self.fields.get(lines)
        if fields is None:
            fields = Fields.of(request.headers)
            self.fields.put(lines, fields)
        if (request.raw_url, fields.page) not in self.targets.entries:
            target = Target(request.raw_url, request._parsed_url, call.operation, call.memory_key)
            self.targets.put((request.raw_url, fields.page), target)

    def find(self, connection: Protocol, received: bytes) -> Asked | None:
        """Return the request that these bytes are, if they are one head with a known URL and known fields."""
        if len(received) > HEAD_BYTES_MAX:
            return None
        line, _, lines = received.partition(LINE_END)
        fields, words = self.fields.get(lines), line.split(b" ")
        if fields is None or len(words) != 3 or words[0] not in METHODS or words[2] != PROTOCOL:
            return None
        target = self.targets.get((words[1], fields.page))
        if target is None:
            return None
        return Asked(connection, target, fields, METHODS[words[0]], received, perf_counter())

    def take(self, connection: Protocol, received: bytes) -> bool:
        """Answer these bytes now or once the change feed was read; return False if the ordinary path must."""
        asked = self.find(connection, received)
        if asked is None:
            return False
        if asked.fields.token is None:
            if asked.target.operation.fixed:
                return self.answer(asked)
        elif self.dispatch.limits_look_ups():
            return False
        connection.asked = asked
        self.accounting.metrics.in_flight += 1
        self.feed.call_after_read(partial(self.complete, asked))
        return True

    def complete(self, asked: Asked, outcome: Outcome) -> None:
        """Answer once the change feed was read, unless the connection has ended or the ordinary path has taken over."""
        self.accounting.metrics.in_flight -= 1
        connection = asked.connection
        if connection.asked is not asked:
            return
        connection.asked = None
        if isinstance(outcome, Exception):
            self.refuse(asked, outcome)
        elif not isinstance(outcome, int):
            connection.hand_over(asked.received, asked.head)
        elif connection.is_quiet() or not self.answer(asked):
            connection.hand_over(asked.received, asked.head, outcome)

    def answer(self, asked: Asked) -> bool:
        """Send the answer that is in memory. Returns False, and sends nothing, if it is not there or cannot be sent."""
        target, fields, agent = asked.target, asked.fields, None
        key = target.key
        if fields.token is not None:
            caller = self.memory.recall(fields.token)
            if caller is None:
                return False
            agent = caller.name
            key = own_key(target.operation, key, caller)
        cached = self.memory.recall(key)
        if not isinstance(cached, CachedAnswer) or not asked.connection.is_writable():
            return False
        self.send(asked, cached.form(fields.gzip, fields.if_none_match), ulid(new_request_id()), agent)
        self.answered.add()
        return True

    def refuse(self, asked: Asked, error: Exception) -> None:
        """Answer with the error of the change feed: waiting for it again would take as long."""
        call = Call(asked.target.operation, new_request_id())
        answer = self.dispatch.failure(error, asked.head.request(asked.connection), call)
        self.accounting.complete(answer, call)
        self.send(asked, answer, answer.request_id, None)

    def send(self, asked: Asked, answer: Answer, request_id: str, agent: str | None) -> None:
        """Send an answer, then count and log it."""
        asked.connection.send_now(message(answer, asked.method, request_id, keep_alive=True))
        seconds = perf_counter() - asked.began
        self.accounting.count(asked.target.operation.name, asked.method, answer, request_id, agent, seconds)

    def record_hang_up(self, asked: Asked) -> None:
        """Count and log a request whose client hung up before its answer."""
        call = Call(asked.target.operation, new_request_id())
        self.accounting.record_hang_up(asked.method, call, perf_counter() - asked.began)

"""Answers public reads and polls in the protocol: without a task, a request or a second look at the head.

Once the ordinary path has answered a URL, and a request with the same header fields, a head with both waits for the
change feed like every read. It gets what memory has then, or the page of the next statement that reads for all polls.
Agents send the same fields with every URL. The ordinary path takes over whatever a shortcut cannot do: a missing entry,
a process that stops, a client that reads slowly, pipelined requests.
"""

import asyncio
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

from sanic.request import Request

from services.api.cache.answer import CachedAnswer
from services.api.cache.bounded import BoundedDict
from services.api.cache.feed import Outcome
from services.api.cache.reads import own_key
from services.api.http.protocol import Protocol
from services.api.http.request_id import new_request_id, ulid
from services.api.http.responses import Answer, success, unless_known
from services.api.http.stream import HEAD_BYTES_MAX, HEADS_MAX
from services.api.http.wire import message
from services.board.tokens import Caller
from services.process.metrics import Registry

from .call import Call
from .repeated import Asked, Fields, Target
from .shared_reads import Rows

if TYPE_CHECKING:
    from .dispatch import Dispatch


LINE_END: Final = b"\r\n"
URLS_MAX: Final = 10_000
METHODS: Final = {b"GET": "GET", b"HEAD": "HEAD"}
PROTOCOL: Final = b"HTTP/1.1"
POLLED: Final = (200, 304)


class Shortcuts:
    """Known URLs, known header fields, and the parts of the process that answer them.

    A URL may mean a page for people or a document for programs, so the fields decide which meaning is looked up.
    """

    def __init__(self, dispatch: "Dispatch", registry: Registry) -> None:
        self.dispatch = dispatch
        self.accounting = dispatch.accounting
        self.memory = dispatch.reads.memory
        self.feed = dispatch.reads.feed
        self.shared = dispatch.resources.shared
        self.targets: Final[BoundedDict[tuple[bytes, bool], Target]] = BoundedDict(URLS_MAX)
        self.fields: Final[BoundedDict[bytes, Fields]] = BoundedDict(HEADS_MAX)
        self.answered = registry.count("agent_board_protocol_answers_total", "Repeated reads answered in the protocol.")

    def learn(self, received: bytes, request: Request, call: Call, answer: Answer) -> None:
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
            target = Target(request.raw_url, request._parsed_url, call.operation, call.query, call.memory_key, poll)
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
        """Answer, or read the page of a poll, once the change feed was read."""
        if isinstance(outcome, int) and self.read_page(asked):
            return
        if not self.resume(asked):
            return
        if isinstance(outcome, Exception):
            self.refuse(asked, outcome)
        elif not isinstance(outcome, int):
            asked.connection.hand_over(asked.received, asked.head)
        elif asked.connection.is_quiet() or not self.answer(asked):
            asked.connection.hand_over(asked.received, asked.head, outcome)

    def read_page(self, asked: Asked) -> bool:
        """Let the next shared statement read the page of a poll. Returns False if there is none, or no known caller."""
        poll, token = asked.target.poll, asked.fields.token
        if poll is None or token is None or asked.connection.asked is not asked:
            return False
        caller = self.memory.recall(token)
        if caller is None:
            return False
        poll.rows.put((caller.id, asked.target.query)).add_done_callback(partial(self.complete_poll, asked, caller))
        return True

    def complete_poll(self, asked: Asked, caller: Caller, rows: "asyncio.Future[Rows]") -> None:
        """Answer a poll with the rows of its page."""
        connection = asked.connection
        _ = rows.cancelled() or rows.exception()  # asyncio logs an error that nobody has looked at
        if not self.resume(asked):
            return
        if rows.cancelled() or connection.is_quiet() or not connection.is_writable():
            connection.hand_over(asked.received, asked.head)
            return
        try:
            answer = self.page(asked, rows.result())
        except Exception as error:  # noqa: BLE001 - every error is answered, and logged where it is translated
            self.refuse(asked, error, caller.name)
        else:
            self.send(asked, answer, ulid(new_request_id()), caller.name)
            self.answered.add()

    def resume(self, asked: Asked) -> bool:
        """End a wait; return False if the connection has ended or the ordinary path has taken over."""
        self.accounting.metrics.in_flight -= 1
        if asked.connection.asked is not asked:
            return False
        asked.connection.asked = None
        return True

    def page(self, asked: Asked, rows: Rows) -> Answer:
        """Return the answer with the page of these rows."""
        target, links = asked.target, self.dispatch.resources.links
        assert target.poll is not None
        page = target.poll.page(rows, target.query, links)
        return unless_known(success(target.operation, page, target.query, links), asked.fields.if_none_match)

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

    def refuse(self, asked: Asked, error: Exception, agent: str | None = None) -> None:
        """Answer with the error of a statement: waiting for it again would take as long."""
        call = Call(asked.target.operation, new_request_id())
        answer = self.dispatch.failure(error, asked.head.request(asked.connection), call)
        self.accounting.complete(answer, call)
        self.send(asked, answer, answer.request_id, agent)

    def send(self, asked: Asked, answer: Answer, request_id: str, agent: str | None) -> None:
        """Send an answer, then count and log it."""
        asked.connection.send_now(message(answer, asked.method, request_id, keep_alive=True))
        seconds = perf_counter() - asked.began
        self.accounting.count(asked.target.operation.name, asked.method, answer, request_id, agent, seconds)

    def record_hang_up(self, asked: Asked) -> None:
        """Count and log a request whose client hung up before its answer."""
        call = Call(asked.target.operation, new_request_id())
        self.accounting.record_hang_up(asked.method, call, perf_counter() - asked.began)

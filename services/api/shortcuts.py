"""Answers repeated public reads in the protocol: without a task, a request or a second look at the head.

A head that the ordinary path has answered from memory gets a shortcut when it is repeated. The next time, it waits for
the change feed like every read, and gets what memory has then. The ordinary path takes over whatever a shortcut cannot
do: a missing entry, a process that stops, a client that reads slowly, pipelined requests.
"""

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

from sanic.request import Request

from services.api.cache.answer import CachedAnswer
from services.api.cache.bounded import BoundedDict
from services.api.http.protocol import Protocol
from services.api.http.request_id import new_request_id, ulid
from services.api.http.responses import Answer
from services.api.http.stream import HEADS_MAX, Head
from services.api.http.wire import message
from services.contract.operations import Operation
from services.process.metrics import Registry

from .auth import bearer_token
from .call import Call

if TYPE_CHECKING:
    from .dispatch import Dispatch


@dataclass(eq=False, slots=True)
class Shortcut:
    """The meaning of one head: the key of its answer in memory, and the token that it presents.

    `answer` is the form of `cached` that fits the head: whole, gzip or 304.
    """

    head: Head
    operation: Operation
    key: Hashable
    token: str | None
    cached: CachedAnswer | None = None
    answer: Answer | None = None

    def fitting(self, cached: CachedAnswer) -> Answer:
        """Return the answer to this head; its conditions are evaluated once for each cached answer."""
        if self.answer is None or self.cached is not cached:
            self.cached, self.answer = cached, cached.answer(self.head.headers)
        return self.answer


@dataclass(eq=False, slots=True)
class Asked:
    """A request that waits for the change feed: its connection, its bytes and its arrival (`perf_counter`)."""

    connection: Protocol
    shortcut: Shortcut
    received: bytes
    began: float


class Shortcuts:
    """The shortcuts of the heads that are known, and what they need to answer."""

    def __init__(self, dispatch: "Dispatch", registry: Registry) -> None:
        self.dispatch = dispatch
        self.accounting = dispatch.accounting
        self.memory = dispatch.reads.memory
        self.feed = dispatch.reads.feed
        self.known: Final[BoundedDict[bytes, Shortcut]] = BoundedDict(HEADS_MAX)
        self.answered = registry.count(
            "agent_board_protocol_answers_total", "Repeated reads answered in the protocol, from memory."
        )

    def learn(self, received: bytes, request: Request, call: Call, answer: Answer) -> None:
        """Keep a shortcut for a repeated head that was answered from memory, on a connection that stays open.

        An answer that names ignored parameters is not the one in memory.
        """
        is_plain = call.memory_key is not None and answer.head and not call.ignored
        if is_plain and received not in self.known.entries:
            head = Head.of(request)
            token = bearer_token(head.headers)
            self.known.put(received, Shortcut(head, call.operation, call.memory_key, token))

    def take(self, connection: Protocol, received: bytes) -> bool:
        """Answer these bytes now or once the change feed was read; return False if the ordinary path must."""
        shortcut = self.known.get(received)
        if shortcut is None:
            return False
        asked = Asked(connection, shortcut, received, perf_counter())
        if shortcut.token is None:
            if shortcut.operation.fixed:
                return self.answer(asked)
        elif self.dispatch.limits_look_ups():
            return False
        connection.asked = asked
        self.accounting.metrics.in_flight += 1
        self.feed.next_read().add_done_callback(partial(self.complete, asked))
        return True

    def complete(self, asked: Asked, read: "asyncio.Future[int]") -> None:
        """Answer once the change feed was read, unless the connection has ended or the ordinary path has taken over."""
        self.accounting.metrics.in_flight -= 1
        error = asyncio.CancelledError() if read.cancelled() else read.exception()
        connection = asked.connection
        if connection.asked is not asked:
            return
        connection.asked = None
        if isinstance(error, Exception):
            self.refuse(asked, error)
        elif error is not None or connection.is_quiet() or not self.answer(asked):
            connection.hand_over(asked.received, None if error else read.result())

    def answer(self, asked: Asked) -> bool:
        """Send the answer that is in memory. Returns False, and sends nothing, if it is not there or cannot be sent."""
        shortcut, agent = asked.shortcut, None
        if shortcut.token is not None:
            caller = self.memory.recall(shortcut.token)
            if caller is None:
                return False
            agent = caller.name
        cached = self.memory.recall(shortcut.key)
        if not isinstance(cached, CachedAnswer) or not asked.connection.is_writable():
            return False
        self.send(asked, shortcut.fitting(cached), ulid(new_request_id()), agent)
        self.answered.add()
        return True

    def refuse(self, asked: Asked, error: Exception) -> None:
        """Answer with the error of the change feed: waiting for it again would take as long."""
        head = asked.shortcut.head
        call = Call(asked.shortcut.operation, new_request_id())
        answer = self.dispatch.failure(error, head.request(asked.connection), call)
        self.accounting.complete(answer, call)
        self.send(asked, answer, answer.request_id, None)

    def send(self, asked: Asked, answer: Answer, request_id: str, agent: str | None) -> None:
        """Send an answer, then count and log it."""
        shortcut, connection = asked.shortcut, asked.connection
        connection.send_now(message(answer, shortcut.head.method, request_id, keep_alive=True))
        seconds = perf_counter() - asked.began
        self.accounting.count(shortcut.operation.name, shortcut.head.method, answer, request_id, agent, seconds)

    def record_hang_up(self, asked: Asked) -> None:
        """Count and log a request whose client hung up before its answer."""
        call = Call(asked.shortcut.operation, new_request_id())
        self.accounting.record_hang_up(asked.shortcut.head.method, call, perf_counter() - asked.began)

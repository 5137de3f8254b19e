"""Answers public reads and polls in the protocol: without a task, a request or a second look at the head.

Once the ordinary path has answered a request with the same header fields, a head waits for the change feed like every
read. It gets what memory has then, or what is built because memory lacks it. A poll that was answered before gets the
page of the next statement that reads for all polls. The ordinary path takes over whatever a shortcut cannot do: a 404,
a process that stops, a client that reads slowly, pipelined requests.
"""

import asyncio
from collections.abc import Hashable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from services.api.cache.answer import CachedAnswer
from services.api.cache.feed import Outcome
from services.api.cache.reads import own_key
from services.api.cache.shelf import Entry
from services.api.http.protocol import Protocol
from services.api.http.request_id import new_request_id, ulid
from services.api.http.responses import Answer, success, unless_known
from services.api.http.wire import message
from services.board.tokens import Caller
from services.process.metrics import Registry

from .call import Call
from .repeated import Asked, KnownHeads
from .shared_reads import Rows

if TYPE_CHECKING:
    from .dispatch import Dispatch


class Shortcuts:
    """The heads whose meaning is known, and the parts of the process that answer them."""

    def __init__(self, dispatch: "Dispatch", registry: Registry) -> None:
        self.dispatch = dispatch
        self.accounting = dispatch.accounting
        self.memory = dispatch.reads.memory
        self.feed = dispatch.reads.feed
        self.known = KnownHeads(dispatch.routes, dispatch.reads, dispatch.resources.shared)
        self.answered = registry.count("agent_board_protocol_answers_total", "Repeated reads answered in the protocol.")

    def take(self, connection: Protocol, received: bytes) -> bool:
        """Answer these bytes now or once the change feed was read; return False if the ordinary path must."""
        asked = self.known.find(connection, received)
        if asked is None:
            return False
        if asked.fields.token is None:
            if asked.target.operation.fixed:
                return self.answer(asked)
        elif self.dispatch.is_guessing(asked.head.request(connection)):
            return False
        self.wait(asked)
        self.feed.call_after_read(partial(self.complete, asked))
        return True

    def wait(self, asked: Asked) -> None:
        """Let a request wait; `resume` ends its wait."""
        asked.connection.asked = asked
        self.accounting.metrics.in_flight += 1

    def complete(self, asked: Asked, outcome: Outcome) -> None:
        """Answer, or read the page of a poll, or have a missing answer built, once the change feed was read."""
        if isinstance(outcome, int) and self.read_page(asked):
            return
        if not self.resume(asked):
            return
        if isinstance(outcome, Exception):
            self.refuse(asked, outcome)
        elif not isinstance(outcome, int):
            asked.connection.hand_over(asked.received, asked.head)
        elif asked.connection.is_quiet() or not self.answer(asked, outcome):
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
        _ = rows.cancelled() or rows.exception()  # asyncio logs an error that was not retrieved
        if not self.resume(asked):
            return
        if rows.cancelled() or connection.is_quiet() or not connection.is_writable():
            connection.hand_over(asked.received, asked.head)
            return
        try:
            answer = self.page(asked, rows.result())
        except Exception as error:  # noqa: BLE001 - every error is answered, and logged where it is translated
            self.refuse(asked, error, caller)
        else:
            self.send(asked, answer, ulid(new_request_id()), caller)
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

    def answer(self, asked: Asked, feed_read: int | None = None) -> bool:
        """Send the answer in memory; after a read of the change feed, have a missing one built and send it then.

        Returns False, and sends nothing, if the ordinary path must answer.
        """
        caller, key = self.own(asked)
        if key is None:
            return False
        cached = self.memory.recall(key)
        if cached is None and feed_read is not None and asked.connection.is_writable():
            self.build(asked, caller, key, feed_read)
            return True
        return self.send_cached(asked, cached, caller)

    def own(self, asked: Asked) -> tuple[Caller | None, Hashable | None]:
        """Return the caller, if there is one, and the key of the caller's answer: None if the token is not known."""
        target, token = asked.target, asked.fields.token
        if token is None:
            return None, target.key
        caller: Caller | None = self.memory.recall(token)
        if caller is None:
            return None, None
        return caller, own_key(target.operation, target.key, caller)

    def build(self, asked: Asked, caller: Caller | None, key: Hashable, feed_read: int) -> None:
        """Have a missing answer built, and send it then."""
        self.memory.misses.add()
        target = asked.target
        call = Call(target.operation, new_request_id(), path=target.path, query=target.query, handler=target.handler)
        call.caller, call.feed_read = caller, feed_read
        build, entry = self.memory.join(*self.dispatch.reads.missing(call, key))
        self.wait(asked)
        is_current = build.feed_read >= feed_read
        entry.add_done_callback(partial(self.complete_build, asked, caller, feed_read, is_current))

    def complete_build(
        self, asked: Asked, caller: Caller | None, feed_read: int, is_current: bool, entry: "asyncio.Future[Entry]"
    ) -> None:
        """Answer with what was built. The ordinary path builds again after an error that may be out of date."""
        error = None if entry.cancelled() else entry.exception()
        if not self.resume(asked):
            return
        if isinstance(error, Exception) and is_current:
            self.refuse(asked, error, caller)
            return
        found = None if entry.cancelled() or error or asked.connection.is_quiet() else entry.result().value
        if not self.send_cached(asked, found, caller):
            asked.connection.hand_over(asked.received, asked.head, feed_read)

    def send_cached(self, asked: Asked, cached: Any, caller: Caller | None) -> bool:
        """Send an answer of the memory. Returns False, and sends nothing, if it is none or cannot be sent."""
        if not isinstance(cached, CachedAnswer) or not asked.connection.is_writable():
            return False
        answer = cached.form(asked.fields.gzip, asked.fields.if_none_match)
        self.send(asked, answer, ulid(new_request_id()), caller)
        self.answered.add()
        return True

    def refuse(self, asked: Asked, error: Exception, caller: Caller | None = None) -> None:
        """Answer with the error of a statement: waiting for it again would take as long."""
        call = Call(asked.target.operation, new_request_id())
        answer = self.dispatch.failure(error, asked.head.request(asked.connection), call)
        self.accounting.complete(answer, call)
        self.send(asked, answer, answer.request_id, caller)

    def send(self, asked: Asked, answer: Answer, request_id: str, caller: Caller | None) -> None:
        """Send an answer, then count and log it."""
        asked.connection.send_now(message(answer, asked.method, request_id, keep_alive=True))
        seconds, agent = perf_counter() - asked.began, None if caller is None else caller.name
        self.accounting.count(asked.target.operation.name, asked.method, answer, request_id, agent, seconds)

    def record_hang_up(self, asked: Asked) -> None:
        """Count and log a request whose client hung up before its answer."""
        call = Call(asked.target.operation, new_request_id())
        self.accounting.record_hang_up(asked.method, call, perf_counter() - asked.began)

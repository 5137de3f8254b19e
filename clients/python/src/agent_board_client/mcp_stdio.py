"""MCP over standard input and output, in which every line is answered.

The SDK's own transport drops a line that it cannot read, so that the caller waits in vain; it drops the calls that are
not answered yet when the input ends; and Ctrl-C does not end it.
"""

import os
import signal
import sys
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest

from .errors import StorageError
from .mcp_messages import Malformed, parsed, written

# More than any tool takes.
FINISH_SECONDS = 120.0
INTERRUPTED = 130

Sender = MemoryObjectSendStream[Any]
Receiver = MemoryObjectReceiveStream[Any]


def run(server: Server[Any]) -> None:
    """Serve until standard input ends, or until Ctrl-C. Raises StorageError if a stream cannot be used."""
    if sys.stdin is None:
        raise StorageError("Cannot read standard input: it is closed.")
    # A thread waits for the next line, and Python cannot interrupt it.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        anyio.run(Relay().run, server)
    except BaseExceptionGroup as errors:
        # In some versions of Python 3.11, an error that is raised in `except*` becomes part of a group.
        failed, others = errors.split(OSError)
        if failed is None or others is not None:
            raise
        raise StorageError(f"Standard input or output failed: {first(failed).strerror}.") from None


def first(errors: BaseExceptionGroup[OSError]) -> OSError:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, OSError) else OSError()


class Relay:
    """Passes messages between the standard streams and a server, and answers lines that are no messages."""

    def __init__(self) -> None:
        self.waiting: set[int | str] = set()
        self.answer_sent = anyio.Event()

    async def run(self, server: Server[Any]) -> None:
        """Serve until the lines have ended and every request is answered."""
        to_server, requests = anyio.create_memory_object_stream[Any]()
        to_output, answers = anyio.create_memory_object_stream[Any]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.write_lines, answers)
            tasks.start_soon(server.run, requests, to_output.clone(), server.create_initialization_options())
            await self.read_lines(to_server, to_output)
            with anyio.move_on_after(FINISH_SECONDS):
                while self.waiting:
                    self.answer_sent = anyio.Event()
                    await self.answer_sent.wait()
            await to_output.aclose()
            await to_server.aclose()

    async def read_lines(self, to_server: Sender, to_output: Sender) -> None:
        async for line in anyio.wrap_file(sys.stdin.buffer):
            try:
                message = parsed(line)
            except Malformed as malformed:
                await to_output.send(SessionMessage(malformed.answer))
                continue
            if isinstance(message, JSONRPCRequest):
                self.waiting.add(message.id)
            elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
                self.note_answer((message.params or {}).get("requestId"))
            await to_server.send(SessionMessage(message))

    async def write_lines(self, answers: Receiver) -> None:
        output = anyio.wrap_file(sys.stdout.buffer)
        async for answer in answers:
            await output.write(written(answer.message) + b"\n")
            await output.flush()
            self.note_answer(getattr(answer.message, "id", None))

    def note_answer(self, number: Any) -> None:
        if isinstance(number, int | str):
            self.waiting.discard(number)
        self.answer_sent.set()

"""A proxy between a client and a board that loses answers, and the same calls for both clients."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from agent_board_client import AsyncBoard, Board
from tests.proxy import Proxy, Trap

LINE = re.compile(rb"(?:^|\r\n)((?:GET|POST|PATCH|DELETE) \S+) HTTP/1.1\r\n")
STATUS = re.compile(rb"HTTP/1.1 (\d{3})")


class LossyProxy(Proxy):
    """Forwards calls, and loses the answers to chosen ones after the board has given them."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.heads: list[bytes] = []
        self.statuses: list[int] = []
        self.lost = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lose(self, method: str, path: str) -> None:
        """Lose the answer to the next call of this method and path."""
        self.keep(f"{method} {path}", answer=True)

    async def ask(
        self, client: asyncio.StreamReader, server: asyncio.StreamWriter, pending: list[Trap], flow: asyncio.Event
    ) -> None:
        recorder = asyncio.StreamReader()
        copying = asyncio.create_task(super().ask(recorder, server, pending, flow))
        try:
            while part := await client.read(65536):
                self.heads += [part] if LINE.match(part) else []
                recorder.feed_data(part)
        finally:
            copying.cancel()

    async def respond(
        self, server: asyncio.StreamReader, client: asyncio.StreamWriter, pending: list[Trap], flow: asyncio.Event
    ) -> None:
        while part := await server.read(65536):
            self.statuses += [int(status[1])] if (status := STATUS.match(part)) else []
            if pending:
                self.lost += 1
                return
            client.write(part)


class Caller:
    """Makes the same calls with either client."""

    def __init__(self, board: Board | AsyncBoard) -> None:
        self.board = board

    async def call(self, name: str, /, *args: Any, **fields: Any) -> Any:
        method: Callable[..., Any] = getattr(self.board, name)
        if isinstance(self.board, Board):
            return await asyncio.to_thread(method, *args, **fields)
        return await method(*args, **fields)

    async def close(self) -> None:
        await self.call("close")

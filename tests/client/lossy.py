"""A proxy between a client and a board that loses answers, and the same calls for both clients."""

import asyncio
from collections.abc import Callable
from typing import Any

from agent_board_client import AsyncBoard, Board
from tests.proxy import Proxy, Trap


class LossyProxy(Proxy):
    """Forwards calls, and loses the answers to chosen ones after the board has given them."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.lost = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lose(self, method: str, path: str) -> None:
        """Lose the answer to the next call of this method and path."""
        self.keep(f"{method} {path}", answer=True)

    async def respond(
        self, server: asyncio.StreamReader, client: asyncio.StreamWriter, pending: list[Trap], flow: asyncio.Event
    ) -> None:
        while part := await server.read(65536):
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

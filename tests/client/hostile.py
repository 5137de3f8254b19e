"""A server that answers what a board never would, and remembers what it was sent."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Self


def answer(status: str, content: bytes = b"", *headers: str) -> list[bytes]:
    """One whole answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", "Content-Type: application/json", *headers]
    return ["\r\n".join([*lines, "", ""]).encode("latin-1") + content]


@dataclass(frozen=True)
class Endless:
    """An answer that never ends: its beginning, then one part again and again."""

    beginning: bytes
    part: bytes

    def __iter__(self) -> Iterator[bytes]:
        return chain([self.beginning], repeat(self.part))


ENDLESS_CONTENT = Endless(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b"x" * 65536)
TRICKLE = Endless(ENDLESS_CONTENT.beginning, b"x")
ENDLESS_HEAD = Endless(b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"x" * 8000 + b"\r\n")


class HostileBoard:
    """Sends the same answer to every request, and closes the connection. `heads` are those of the requests."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.parts: Iterable[bytes] = []
        self.answering: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for writer in self.answering.values():
            writer.transport.abort()
        await asyncio.gather(*self.answering)
        await self.server.wait_closed()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self.answer(reader, writer))
        self.answering[task] = writer
        task.add_done_callback(self.answering.pop)

    def parts_for(self, head: bytes) -> Iterable[bytes]:
        """Return the answer to a request with this head."""
        return self.parts

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.heads.append(await reader.readuntil(b"\r\n\r\n"))
            for part in self.parts_for(self.heads[-1]):
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0)
            writer.close()
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()

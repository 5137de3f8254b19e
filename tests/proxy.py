"""A proxy between a process and PostgreSQL that keeps one chosen message, or its answer, until the test has decided."""

import asyncio
from typing import Self

REACH_SECONDS = 60
READY_FOR_QUERY = b"Z\x00\x00\x00\x05"


class Trap:
    """Keeps the first message that holds `marker`, or the server's whole answer to it."""

    def __init__(self, marker: bytes, answer: bool) -> None:
        self.marker = marker
        self.answer = answer
        self.sprung = asyncio.Event()
        self.decided = asyncio.Event()
        self.cuts = False

    async def reached(self) -> None:
        """Return when the message, or the answer, is kept."""
        async with asyncio.timeout(REACH_SECONDS):
            await self.sprung.wait()

    def release(self) -> None:
        """Let it pass."""
        self.decided.set()

    def cut(self) -> None:
        """Drop it, and cut both sides of the connection."""
        self.cuts = True
        self.decided.set()

    async def spring(self) -> None:
        self.sprung.set()
        await self.decided.wait()
        if self.cuts:
            raise ConnectionAbortedError


class Proxy:
    """Forwards connections to a port of this machine.

    `away` makes it refuse new ones; `lingers` makes it hide from the process that the server has closed one.
    """

    def __init__(self, port: int) -> None:
        self.target = port
        self.away = False
        self.lingers = False
        self.traps: list[Trap] = []
        self.links: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port: int = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        self.cut_all()
        await asyncio.gather(*self.links, return_exceptions=True)

    def url(self, direct: str) -> str:
        """The address of a database by way of the proxy."""
        return direct.replace(f":{self.target}/", f":{self.port}/")

    def keep(self, marker: str | bytes, answer: bool = False) -> Trap:
        """Set a trap for the next message that holds the marker."""
        trap = Trap(marker.encode() if isinstance(marker, str) else marker, answer)
        self.traps.append(trap)
        return trap

    def cut_all(self) -> None:
        """Cut every connection."""
        for link in self.links:
            link.cancel()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = asyncio.create_task(self.connect(reader, writer))
        self.links.add(link)
        link.add_done_callback(self.links.discard)

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.away:
            writer.transport.abort()
            return
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target)
        pending: list[Trap] = []
        pipes = [
            asyncio.create_task(self.ask(reader, server_writer, pending)),
            asyncio.create_task(self.respond(server_reader, writer, pending)),
        ]
        try:
            await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
            if self.lingers:
                await asyncio.Event().wait()
        finally:
            for pipe in pipes:
                pipe.cancel()
            await asyncio.gather(*pipes, return_exceptions=True)
            writer.transport.abort()
            server_writer.transport.abort()

    async def ask(self, client: asyncio.StreamReader, server: asyncio.StreamWriter, pending: list[Trap]) -> None:
        """Forward what the process says to the server."""
        while part := await client.read(65536):
            if trap := next((trap for trap in self.traps if trap.marker in part), None):
                self.traps.remove(trap)
                if trap.answer:
                    pending.append(trap)
                else:
                    await trap.spring()
            server.write(part)

    async def respond(self, server: asyncio.StreamReader, client: asyncio.StreamWriter, pending: list[Trap]) -> None:
        """Forward what the server says, whole answers of trapped messages in one."""
        kept = b""
        while part := await server.read(65536):
            if pending:
                kept += part
                if kept[-6:-1] != READY_FOR_QUERY:
                    continue
                await pending.pop().spring()
                part, kept = kept, b""
            client.write(part)

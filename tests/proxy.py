"""A proxy between a process and its store. It can hold one chosen message to PostgreSQL, or the answer to it."""

import asyncio
from typing import Self

REACH_SECONDS = 60
READY_FOR_QUERY = b"Z\x00\x00\x00\x05"


class Trap:
    """Holds the first message that contains `marker`, or the server's whole answer to it."""

    def __init__(self, marker: bytes, answer: bool) -> None:
        self.marker = marker
        self.answer = answer
        self.sprung = asyncio.Event()
        self.decided = asyncio.Event()
        self.cuts = False

    async def reached(self) -> None:
        """Return when the message, or the answer, is held."""
        async with asyncio.timeout(REACH_SECONDS):
            await self.sprung.wait()

    def release(self) -> None:
        """Let it pass."""
        self.decided.set()

    def cut(self) -> None:
        """Drop it, and close both sides of the connection."""
        self.cuts = True
        self.decided.set()

    async def spring(self) -> None:
        self.sprung.set()
        await self.decided.wait()
        if self.cuts:
            raise ConnectionAbortedError


class Proxy:
    """Forwards connections to a port of this machine.

    `away` makes it refuse new ones, `silent` makes it accept and forget them; `lingers` makes it hide from the process
    that the server has closed one; `delay` is the time in seconds that each message takes longer. `accepted` counts the
    connections, and `target` may be changed for the next ones.
    """

    def __init__(self, port: int) -> None:
        self.target = port
        self.accepted = 0
        self.away = False
        self.silent = False
        self.lingers = False
        self.delay = 0.0
        self.flow = flowing()
        self.frozen: list[asyncio.Event] = []
        self.traps: list[Trap] = []
        self.links: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port: int = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.away = True
        self.server.close()
        while self.links:
            self.cut_all()
            await asyncio.gather(*self.links, return_exceptions=True)

    def url(self, direct: str) -> str:
        """Return the address of a database through the proxy."""
        return direct.replace(f":{self.target}/", f":{self.port}/")

    def keep(self, marker: str | bytes, answer: bool = False) -> Trap:
        """Set a trap for the next message that contains the marker."""
        trap = Trap(marker.encode() if isinstance(marker, str) else marker, answer)
        self.traps.append(trap)
        return trap

    def cut_all(self) -> None:
        """Close every connection."""
        for link in self.links:
            link.cancel()

    def freeze(self) -> None:
        """Pass on nothing more over the connections that are open now, as if the host were gone; new ones work."""
        self.flow.clear()
        self.frozen.append(self.flow)
        self.flow = flowing()

    def thaw(self) -> None:
        """Let frozen connections continue."""
        for flow in self.frozen:
            flow.set()
        self.frozen.clear()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        link = asyncio.create_task(self.connect(reader, writer))
        self.links.add(link)
        link.add_done_callback(self.links.discard)
        # here, because a link that is cancelled early runs no line of its own
        link.add_done_callback(lambda _: writer.transport.abort())

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.away:
            return
        if self.silent:
            await asyncio.Event().wait()
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return
        pending: list[Trap] = []
        flow = self.flow
        pipes = [
            asyncio.create_task(self.ask(reader, server_writer, pending, flow)),
            asyncio.create_task(self.respond(server_reader, writer, pending, flow)),
        ]
        try:
            await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
            if self.lingers:
                await asyncio.Event().wait()
        finally:
            # first, because a link may be cancelled here as well
            server_writer.transport.abort()
            for pipe in pipes:
                pipe.cancel()
            await asyncio.gather(*pipes, return_exceptions=True)

    async def ask(
        self, client: asyncio.StreamReader, server: asyncio.StreamWriter, pending: list[Trap], flow: asyncio.Event
    ) -> None:
        """Forward the process's messages to the server."""
        while part := await client.read(65536):
            if trap := next((trap for trap in self.traps if trap.marker in part), None):
                self.traps.remove(trap)
                if trap.answer:
                    pending.append(trap)
                else:
                    await trap.spring()
            await self.passes(flow)
            server.write(part)

    async def respond(
        self, server: asyncio.StreamReader, client: asyncio.StreamWriter, pending: list[Trap], flow: asyncio.Event
    ) -> None:
        """Forward the server's messages; the answer to a trapped message is forwarded as a whole."""
        kept = b""
        while part := await server.read(65536):
            if pending:
                kept += part
                if kept[-6:-1] != READY_FOR_QUERY:
                    continue
                await pending.pop().spring()
                part, kept = kept, b""
            await self.passes(flow)
            client.write(part)

    async def passes(self, flow: asyncio.Event) -> None:
        """Return when a message may pass."""
        if self.delay:
            await asyncio.sleep(self.delay)
        await flow.wait()


def flowing() -> asyncio.Event:
    """Return an event of open connections; those whose event is cleared are frozen."""
    flow = asyncio.Event()
    flow.set()
    return flow

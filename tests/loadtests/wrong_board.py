"""A proxy in front of a right board that is wrong in one way."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Self

import aiohttp
from aiohttp import web

from services.local.ports import free_port

Forward = Callable[[], Awaitable[web.Response]]
Fault = Callable[["WrongBoard", web.Request, bytes, Forward], Awaitable[web.Response]]
HOP = {"connection", "content-length", "content-encoding", "date", "transfer-encoding", "keep-alive"}


class WrongBoard:
    """Forwards every request to `board` by way of `fault`."""

    def __init__(self, board: str, fault: Fault) -> None:
        self.board = board
        self.fault = fault
        self.posts = 0
        self.calls = 0
        self.stale: dict[str, web.Response] = {}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.serve()))

    def __enter__(self) -> Self:
        self.thread.start()
        assert self.ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.over.set)
        self.thread.join()

    async def serve(self) -> None:
        self.loop, self.over = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.answer)
        runner = web.AppRunner(app, access_log=None)
        async with aiohttp.ClientSession(auto_decompress=True) as self.session:
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", self.port).start()
            self.ready.set()
            await self.over.wait()
            await runner.cleanup()

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.calls += 1
        return await self.fault(self, request, body, lambda: self.forward(request, body))

    async def forward(self, request: web.Request, body: bytes, key: bool = True) -> web.Response:
        """Pass a request on; without `key` it is no repeat of another."""
        headers = {name: value for name, value in request.headers.items() if name.lower() not in {"host", *HOP}}
        if not key:
            headers.pop("Idempotency-Key", None)
        async with self.session.request(
            request.method, self.board + request.path_qs, data=body, headers=headers
        ) as got:
            kept = {name: value for name, value in got.headers.items() if name.lower() not in HOP}
            return web.Response(status=got.status, body=await got.read(), headers=kept)

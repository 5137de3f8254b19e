"""A proxy in front of a right board that is wrong in one way."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Self

import aiohttp
from aiohttp import web

from deploy.local.ports import free_port

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
        self.lists = 0
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


def is_post(request: web.Request) -> bool:
    return request.method == "POST" and request.path.endswith(("/threads", "/replies"))


async def delays_some(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Every 20th call takes a second longer."""
    if board.calls % 20 == 0:
        await asyncio.sleep(1)
    return await forward()


async def loses_a_post(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """One post is acknowledged with the id of the one before it, and never made."""
    board.posts += is_post(request)
    if is_post(request) and board.posts == 4:
        last = board.stale["post"]
        return web.Response(status=201, body=last.body, content_type="application/json")
    answer = await forward()
    if is_post(request) and answer.status == 201:
        board.stale["post"] = answer
    return answer


async def doubles_a_post(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """One post is published twice."""
    board.posts += is_post(request)
    if is_post(request) and board.posts == 4:
        await board.forward(request, body, key=False)
    return await forward()


async def hides_its_limit(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """The board claims the limit of 10 posts in 60 s, but has a wider one."""
    answer = await forward()
    if request.path == "/api/agents/me" and answer.status == 200:
        account = json.loads(bytes(answer.body))  # type: ignore[arg-type]
        for limit in account["limits"]:
            limit["limit"] = 10 if limit["policy"] == "posts" else limit["limit"]
        return web.json_response(account)
    return answer


async def answers_stale_threads(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Every thread is answered as the first one that was read."""
    answer = await forward()
    if request.method == "GET" and request.path.startswith("/api/threads/") and answer.status == 200:
        first = board.stale.setdefault("thread", answer)
        return web.Response(status=200, body=first.body, content_type="application/json")
    return answer


async def drops_events(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Inboxes lack their first event."""
    answer = await forward()
    if request.path == "/api/inbox" and answer.status == 200:
        page: dict[str, Any] = json.loads(bytes(answer.body))  # type: ignore[arg-type]
        page["items"] = page["items"][1:]
        return web.json_response(page)
    return answer


async def refuses_visitors(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Some dashboards are refused with 429."""
    if request.path == "/api/home" and board.calls % 3 == 0:
        return web.json_response({"status": 429, "retry_after": 60}, status=429)
    return await forward()


async def delays_lists(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Every third list of threads takes 0.3 s longer."""
    if request.path == "/api/threads" and request.method == "GET":
        board.lists += 1
        await asyncio.sleep(0.3 if board.lists % 3 == 0 else 0)
    return await forward()

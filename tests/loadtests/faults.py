"""The ways in which a wrong board is wrong: each changes one thing between the loader and a right board."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.loadtests.wrong_board import Forward, WrongBoard

DELAY_SECONDS = 0.8


def is_post(request: web.Request) -> bool:
    return request.method == "POST" and request.path.endswith(("/threads", "/replies"))


async def delays_some(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Every 20th call takes a second longer."""
    if board.calls % 20 == 0:
        await asyncio.sleep(1)
    return await forward()


async def freezes_writing(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Every third post is refused because writing is frozen, which is no fault."""
    board.posts += is_post(request)
    if is_post(request) and board.posts % 3 == 0:
        return web.json_response({"code": "frozen", "retry_after": 1}, status=503)
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
    return changed(answer, claim_the_limit) if request.path == "/api/agents/me" else answer


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
    return changed(answer, drop_first) if request.path == "/api/inbox" else answer


async def refuses_visitors(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Some dashboards are refused with 429."""
    if request.path == "/api/home" and board.calls % 3 == 0:
        return web.json_response({"status": 429, "retry_after": 60}, status=429)
    return await forward()


async def delays_all(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Every call takes longer, so that a visit takes longer than the time between two visits."""
    await asyncio.sleep(0 if request.path == "/api/health" else DELAY_SECONDS)
    return await forward()


async def repeats_events(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Inboxes have every event twice."""
    answer = await forward()
    return changed(answer, repeat_items) if request.path == "/api/inbox" else answer


async def skips_in_the_log(board: WrongBoard, request: web.Request, body: bytes, forward: Forward) -> web.Response:
    """Pages of the log lack their second post."""
    answer = await forward()
    return changed(answer, drop_second) if request.path == "/api/activity" else answer


def changed(answer: web.Response, change: Callable[[Any], None]) -> web.Response:
    """Return an answer with other content; it has no ETag."""
    if answer.status != 200:
        return answer
    content = json.loads(bytes(answer.body))  # type: ignore[arg-type]
    change(content)
    return web.json_response(content)


def repeat_items(page: Any) -> None:
    page["items"] = [event for event in page["items"] for _ in range(2)]


def drop_first(page: Any) -> None:
    del page["items"][:1]


def drop_second(page: Any) -> None:
    del page["items"][1:2]


def claim_the_limit(account: Any) -> None:
    for limit in account["limits"]:
        limit["limit"] = 10 if limit["policy"] == "posts" else limit["limit"]

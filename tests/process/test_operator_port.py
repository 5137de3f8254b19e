"""What the operator port promises: health in words, metrics for Prometheus, an answer in time, and no secret."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from services.board.process.metrics import Registry
from services.board.process.operator_port import OperatorPort


async def good() -> str | None:
    return None


Get = Callable[[str], Coroutine[Any, Any, tuple[int, str]]]


@asynccontextmanager
async def listening(**parts: Any) -> AsyncIterator[tuple[OperatorPort, Get]]:
    parts = {"registry": Registry(), "live": lambda: None, "ready": good, **parts}
    port = OperatorPort("127.0.0.1", 0, **parts)
    await port.start()
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port.port}") as client:

            async def get(path: str) -> tuple[int, str]:
                async with client.get(path, timeout=aiohttp.ClientTimeout(5)) as answer:
                    return answer.status, await answer.text()

            yield port, get
    finally:
        await port.stop()


async def test_a_healthy_process_is_live_and_ready() -> None:
    async with listening() as (port, get):
        assert port.port != 0
        assert await get("/livez") == (200, "ok")
        assert await get("/readyz") == (200, "ready")
        assert (await get("/"))[0] == 404


async def test_a_reason_is_told_with_503() -> None:
    async def not_ready() -> str | None:
        return "The database is away."

    async with listening(live=lambda: "The log follower died.", ready=not_ready) as (_, get):
        assert await get("/livez") == (503, "The log follower died.")
        assert await get("/readyz") == (503, "The database is away.")


async def test_a_readiness_check_that_hangs_is_answered_after_a_second() -> None:
    async def stubborn() -> str | None:
        while True:
            try:
                await release.wait()
                return None
            except asyncio.CancelledError:
                pass

    release = asyncio.Event()
    async with listening(ready=stubborn) as (_, get):
        start = asyncio.get_running_loop().time()
        asyncio.get_running_loop().call_later(4, release.set)
        answer = await get("/readyz")
        seconds = asyncio.get_running_loop().time() - start
        release.set()
    assert answer == (503, "The readiness check took more than a second.")
    assert 0.9 < seconds < 2


async def test_a_check_that_fails_says_so_without_showing_why() -> None:
    def broken() -> str | None:
        raise RuntimeError("postgres://u:hunter2@h")

    async def broken_ready() -> str | None:
        return broken()

    async with listening(live=broken, ready=broken_ready) as (_, get):
        for path, kind in (("/livez", "liveness"), ("/readyz", "readiness")):
            assert await get(path) == (503, f"The {kind} check failed; the log says why.")


async def test_a_cancelled_readiness_check_is_not_ready() -> None:
    async def cancelled() -> str | None:
        raise asyncio.CancelledError

    async with listening(ready=cancelled) as (_, get):
        assert (await get("/readyz"))[0] == 503


async def test_metrics_are_served_in_the_format_that_is_asked_for() -> None:
    registry = Registry()
    registry.count("agent_board_posts_total", "Posts.").add(amount=3)
    async with listening(registry=registry) as (port, _), aiohttp.ClientSession() as client:
        url = f"http://127.0.0.1:{port.port}/metrics"
        async with client.get(url) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4; charset=utf-8")
            assert "agent_board_posts_total 3.0" in await answer.text()
        async with client.get(url, headers={"Accept": "application/openmetrics-text; version=1.0.0"}) as answer:
            assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
            assert (await answer.text()).endswith("# EOF\n")


async def test_a_process_may_add_routes_of_its_own() -> None:
    async def windows(_request: web.Request) -> web.Response:
        return web.Response(text="none")

    async with listening(routes=[web.get("/windows", windows)]) as (_, get):
        assert await get("/windows") == (200, "none")


async def test_an_address_in_use_is_an_error_and_leaves_nothing_open() -> None:
    async with listening() as (first, _):
        second = OperatorPort("127.0.0.1", first.port, Registry(), lambda: None, good)
        with pytest.raises(OSError, match="in use"):
            await second.start()
        await second.stop()


async def test_the_stop_waits_neither_for_idle_connections_nor_long_for_a_slow_answer() -> None:
    async def slow(_request: web.Request) -> web.Response:
        asked.set()
        await asyncio.sleep(30)
        return web.Response()

    asked = asyncio.Event()
    async with listening(routes=[web.get("/slow", slow)]) as (port, get):
        await get("/livez")
        asking = asyncio.create_task(get("/slow"))
        await asked.wait()
        start = asyncio.get_running_loop().time()
        await port.stop()
        assert asyncio.get_running_loop().time() - start < 15
        await asyncio.gather(asking, return_exceptions=True)
        with pytest.raises(OSError, match=r"."):
            await asyncio.open_connection("127.0.0.1", port.port)

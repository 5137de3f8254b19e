"""The operator port: health in words, metrics for Prometheus, an answer in time, and no secret."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from prometheus_client import Counter

from services.process.guard import NO_HOST, WRONG_HOST, Guard
from services.process.metrics import Registry
from services.process.operator_port import READY_SECONDS, OperatorPort


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
        async with asyncio.timeout(120):
            answer = await get("/readyz")
        seconds = asyncio.get_running_loop().time() - start
        release.set()
    assert answer == (503, "The readiness check took more than a second.")
    assert seconds > 0.9
    assert READY_SECONDS == 1


async def test_a_check_that_fails_says_so_without_showing_why() -> None:
    def broken() -> str | None:
        raise RuntimeError("postgres://u:hunter2@h")

    async def broken_ready() -> str | None:
        return broken()

    async with listening(live=broken, ready=broken_ready) as (_, get):
        for path, kind in (("/livez", "liveness"), ("/readyz", "readiness")):
            assert await get(path) == (503, f"The {kind} check failed; see the log.")


async def test_metrics_are_served_in_the_format_that_is_asked_for() -> None:
    registry = Registry()
    Counter("agent_board_posts_total", "Posts.", registry=registry).inc(3)
    async with listening(registry=registry) as (port, _), aiohttp.ClientSession() as client:
        url = f"http://127.0.0.1:{port.port}/metrics"
        async with client.get(url) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4; charset=utf-8")
            assert "agent_board_posts_total 3.0" in await answer.text()
        accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
        async with client.get(url, headers=accept) as answer:
            assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
            assert (await answer.text()).endswith("# EOF\n")


GUARD = Guard("127.0.0.1", ("limiter",))


async def ask(port: OperatorPort, method: str, path: str, **headers: str) -> tuple[int, str]:
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    async with aiohttp.request(method, f"http://127.0.0.1:{port.port}{path}", headers=headers) as answer:
        return answer.status, await answer.text()


async def test_prometheus_and_probes_need_no_secret() -> None:
    async with listening(guard=GUARD) as (port, get):
        assert [(await get(path))[0] for path in ("/metrics", "/livez", "/readyz")] == [200] * 3
        # it should answer every client that is not a browser
        reader, writer = await asyncio.open_connection("127.0.0.1", port.port)
        writer.write(b"GET /readyz HTTP/1.0\r\n\r\n")
        assert (await reader.readline()).split()[1] == b"200"
        writer.close()


@pytest.mark.parametrize(
    "host",
    ["attacker.example", "attacker.example:9000", "10.0.0.9", "localhost.attacker.example", "", "limiter.example"],
)
async def test_a_page_that_points_its_own_name_here_gets_nothing(host: str) -> None:
    async with listening(guard=GUARD) as (port, _):
        for method, path in (("GET", "/metrics"), ("GET", "/readyz"), ("PUT", "/readyz"), ("GET", "/no")):
            assert await ask(port, method, path, Host=host) == (421, WRONG_HOST)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:attacker.example", "localhost:80@attacker.example", "me@localhost", "[::1]attacker.example", "[::1",
        "::1", "localhost/", "localhost, localhost",
    ],
)  # fmt: skip
async def test_a_host_is_parsed(host: str) -> None:
    async with listening(guard=GUARD) as (port, _):
        assert await ask(port, "GET", "/readyz", Host=host) == (400, NO_HOST)


@pytest.mark.parametrize(
    "hosts", [("localhost", "attacker.example"), ("attacker.example", "localhost"), ("localhost",) * 2]
)
async def test_a_request_with_two_hosts_is_refused_whichever_comes_first(hosts: tuple[str, str]) -> None:
    async with listening(guard=GUARD) as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port.port)
        writer.write(
            b"GET /readyz HTTP/1.1\r\nHost: %b\r\nhost: %b\r\nConnection: close\r\n\r\n" % tuple(map(str.encode, hosts))
        )
        answer = await reader.read()
        assert answer.split()[1] == b"400"
        assert b"ready" not in answer
        assert b"Traceback" not in answer
        writer.close()


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST.:9000", "127.0.0.1", "127.0.0.1:", "[::1]:9000", "[0:0:0:0:0:0:0:1]", "limiter",
        "LIMITER:9000", "[::ffff:127.0.0.1]", "localhost \t",
    ],
)  # fmt: skip
async def test_the_names_and_addresses_of_the_port_are_answered(host: str) -> None:
    async with listening(guard=GUARD) as (port, _):
        assert (await ask(port, "GET", "/readyz", Host=host))[0] == 200

"""The operator port: metrics, liveness and readiness.

The load balancer never publishes it. Its responses must not contain secrets or stack traces.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client.aiohttp import make_aiohttp_handler

from .guard import Guard
from .metrics import Registry

READY_SECONDS: Final = 1.0

Live = Callable[[], str | None]
Ready = Callable[[], Awaitable[str | None]]

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class OperatorPort:
    """Serves GET /metrics, /livez and /readyz.

    `live` and `ready` return None, or a sentence that describes what is wrong. `port` 0 selects any free port.
    """

    def __init__(
        self,
        host: str,
        port: int,
        registry: Registry,
        live: Live,
        ready: Ready,
        guard: Guard | None = None,
    ) -> None:
        self.port = port
        self.guard = guard or Guard(host)
        self.host = host
        self.live = live
        self.ready = ready
        application = web.Application(middlewares=[self.guarded])
        application.router.add_get("/metrics", make_aiohttp_handler(registry, disable_compression=True))
        application.router.add_get("/livez", self.livez)
        application.router.add_get("/readyz", self.readyz)
        # Idle keep-alive connections of Prometheus must not delay the stop.
        self.runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)

    @web.middleware
    async def guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        local = request.get_extra_info("sockname")
        refusal = self.guard.wrong_host(request.headers.getall("Host", []), local)
        if refusal is None:
            return await handler(request)
        status, sentence = refusal
        return web.Response(text=sentence, status=status)

    async def start(self) -> None:
        """Listen; afterwards `port` is the actual port. Raises OSError if the address is not available."""
        await self.runner.setup()
        try:
            await web.TCPSite(self.runner, self.host, self.port).start()
        except OSError:
            await self.runner.cleanup()
            raise
        self.port = self.runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening and close all connections; does nothing if it was not started."""
        await self.runner.cleanup()

    async def livez(self, _request: web.Request) -> web.Response:
        try:
            reason = self.live()
        except Exception:
            log.exception("liveness_check_failed")
            reason = "The liveness check failed; see the log."
        return verdict("ok", reason)

    async def readyz(self, _request: web.Request) -> web.Response:
        check = asyncio.ensure_future(self.ready())
        # Not wait_for: a check that resists its cancellation would delay the response too.
        await asyncio.wait({check}, timeout=READY_SECONDS)
        if not check.done():
            check.cancel()
            return verdict("ready", "The readiness check took more than a second.")
        if check.cancelled() or check.exception() is not None:
            log.error("readiness_check_failed", exc_info=None if check.cancelled() else check.exception())
            return verdict("ready", "The readiness check failed; see the log.")
        return verdict("ready", check.result())


def verdict(good: str, reason: str | None) -> web.Response:
    return web.Response(text=reason or good, status=503 if reason else 200, headers={"Cache-Control": "no-store"})

"""The operator's own port: metrics, liveness, readiness, and what a process adds for its operator.

It is never published by the load balancer, and no answer of it may hold a secret or a stack trace.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import structlog
from aiohttp import web

from services.board.process.metrics import Registry

READY_SECONDS: Final = 1.0

Live = Callable[[], str | None]
Ready = Callable[[], Awaitable[str | None]]

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class OperatorPort:
    """Answers GET /metrics, /livez and /readyz, and the further routes that it is given.

    `live` and `ready` return None when all is well, or a sentence that says what is not. `port` 0 takes any free one.
    """

    def __init__(
        self,
        host: str,
        port: int,
        registry: Registry,
        live: Live,
        ready: Ready,
        routes: Iterable[web.AbstractRouteDef] = (),
    ) -> None:
        self.port = port
        self._host = host
        self._registry = registry
        self._live = live
        self._ready = ready
        # Idle keep-alive connections of Prometheus must not hold up the stop.
        self._runner = web.AppRunner(self._application(routes), access_log=None, shutdown_timeout=0.5)

    def _application(self, routes: Iterable[web.AbstractRouteDef]) -> web.Application:
        application = web.Application()
        application.router.add_get("/metrics", self._metrics)
        application.router.add_get("/livez", self._livez)
        application.router.add_get("/readyz", self._readyz)
        application.add_routes(routes)
        return application

    async def start(self) -> None:
        """Listen; `port` then holds the real number. Raises OSError when the address cannot be had."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self.port).start()
        except OSError:
            await self._runner.cleanup()
            raise
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening and close what is open; harmless when nothing was started."""
        await self._runner.cleanup()

    async def _metrics(self, request: web.Request) -> web.Response:
        body, content_type = self._registry.exposition(request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": content_type})

    async def _livez(self, _request: web.Request) -> web.Response:
        try:
            reason = self._live()
        except Exception:  # noqa: BLE001 - whatever it is, the probe must be answered
            _log.exception("The liveness check failed.")
            reason = "The liveness check failed; the log says why."
        return _verdict("ok", reason)

    async def _readyz(self, _request: web.Request) -> web.Response:
        check = asyncio.ensure_future(self._ready())
        # Not wait_for: a check that holds out against its cancellation would hold up the answer too.
        await asyncio.wait({check}, timeout=READY_SECONDS)
        if not check.done():
            check.cancel()
            return _verdict("ready", "The readiness check took more than a second.")
        if check.cancelled() or check.exception() is not None:
            _log.error("The readiness check failed.", exc_info=None if check.cancelled() else check.exception())
            return _verdict("ready", "The readiness check failed; the log says why.")
        return _verdict("ready", check.result())


def _verdict(good: str, reason: str | None) -> web.Response:
    return web.Response(text=reason or good, status=503 if reason else 200, headers={"Cache-Control": "no-store"})

"""The operator port: metrics, liveness, readiness, and further routes of a process.

The load balancer never publishes it. Its responses must not contain secrets or stack traces.
Methods that change something need the operator's secret.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from .guard import Guard
from .metrics import Registry

READY_SECONDS: Final = 1.0

Live = Callable[[], str | None]
Ready = Callable[[], Awaitable[str | None]]

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class OperatorPort:
    """Serves GET /metrics, /livez and /readyz, and `routes`.

    `live` and `ready` return None, or a sentence that describes what is wrong. `port` 0 selects any free port.
    """

    def __init__(
        self,
        host: str,
        port: int,
        registry: Registry,
        live: Live,
        ready: Ready,
        routes: Iterable[web.AbstractRouteDef] = (),
        guard: Guard | None = None,
    ) -> None:
        self.port = port
        self._guard = guard or Guard(host)
        self._host = host
        self._registry = registry
        self._live = live
        self._ready = ready
        # Idle keep-alive connections of Prometheus must not delay the stop.
        self._runner = web.AppRunner(self._application(routes), access_log=None, shutdown_timeout=0.5)

    def _application(self, routes: Iterable[web.AbstractRouteDef]) -> web.Application:
        application = web.Application(middlewares=[self._guarded])
        application.router.add_get("/metrics", self._metrics)
        application.router.add_get("/livez", self._livez)
        application.router.add_get("/readyz", self._readyz)
        application.add_routes(routes)
        return application

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        local = request.get_extra_info("sockname")
        misdirected = self._guard.wrong_host(request.headers.getall("Host", []), local)
        refusal = misdirected or self._guard.refusal(request.method, request.headers)
        if refusal is None:
            return await handler(request)
        status, sentence = refusal
        challenge = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
        return web.Response(text=sentence, status=status, headers=challenge)

    async def start(self) -> None:
        """Listen; afterwards `port` is the actual port. Raises OSError if the address is not available."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self.port).start()
        except OSError:
            await self._runner.cleanup()
            raise
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening and close all connections; does nothing if it was not started."""
        await self._runner.cleanup()

    async def _metrics(self, request: web.Request) -> web.Response:
        body, content_type = self._registry.exposition(request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": content_type})

    async def _livez(self, _request: web.Request) -> web.Response:
        try:
            reason = self._live()
        except Exception:  # noqa: BLE001 - the probe needs a response in any case
            _log.exception("liveness_check_failed")
            reason = "The liveness check failed; see the log."
        return _verdict("ok", reason)

    async def _readyz(self, _request: web.Request) -> web.Response:
        check = asyncio.ensure_future(self._ready())
        # Not wait_for: a check that resists its cancellation would delay the response too.
        await asyncio.wait({check}, timeout=READY_SECONDS)
        if not check.done():
            check.cancel()
            return _verdict("ready", "The readiness check took more than a second.")
        if check.cancelled() or check.exception() is not None:
            _log.error("readiness_check_failed", exc_info=None if check.cancelled() else check.exception())
            return _verdict("ready", "The readiness check failed; see the log.")
        return _verdict("ready", check.result())


def _verdict(good: str, reason: str | None) -> web.Response:
    return web.Response(text=reason or good, status=503 if reason else 200, headers={"Cache-Control": "no-store"})

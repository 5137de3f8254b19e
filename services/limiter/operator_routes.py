"""The routes of the limiter's operator port: the windows in which calls are counted.

GET    /windows/agent/NAME         the windows of an agent; /windows/address/ADDRESS the windows of a client's address
DELETE /windows/agent/NAME         empties them; with ?policy=NAME only one

DELETE needs the operator's secret, which the operator port checks. Rates are in the board's database.
"""

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Any, Final

import msgspec
import structlog
from aiohttp import web

from services.contract.checks import address_key, agent_key
from services.contract.limits import LIMITS, Limit
from services.contract.media_types import PROBLEM_JSON
from services.contract.names import could_be_name

from .limiter import Limiter
from .messages import Refusal, bad_field, encode
from .window import StoreAway

Routes = list[web.RouteDef]
Answer = Callable[[web.Request], Awaitable[Any]]

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)
NAMES: Final = tuple(limit.name for limit in LIMITS)


class Window(msgspec.Struct):
    """A window as operators see it: `calls` are the Unix times of the calls, oldest first, that counted last."""

    policy: str
    key: str
    calls: list[float]


class OperatorRoutes:
    """Serves the routes. Problems refer to the documents under `base_url`."""

    def __init__(self, limiter: Limiter, base_url: str) -> None:
        self.limiter = limiter
        self.base_url = base_url

    def routes(self) -> Routes:
        windows = "/windows/{kind:agent|address}/{key}"
        return [
            web.get(windows, self.answering(self.show_windows), allow_head=False),
            web.delete(windows, self.answering(self.reset_windows)),
        ]

    def answering(self, answer: Answer) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            try:
                body = encode(await answer(request))
            except Refusal as refusal:
                return self.refused(refusal)
            except StoreAway:
                return self.refused(Refusal("unavailable", "Redis does not answer."))
            return web.Response(body=body, content_type="application/json", headers={"Cache-Control": "no-store"})

        return handle

    def refused(self, refusal: Refusal) -> web.Response:
        body = refusal.body(self.base_url)
        return web.Response(body=body, status=refusal.status, headers=refusal.headers, content_type=PROBLEM_JSON)

    async def show_windows(self, request: web.Request) -> list[Window]:
        key, limits = asked_windows(request)
        return [Window(limit.name, key, await self.limiter.windows.read(limit.name, key)) for limit in limits]

    async def reset_windows(self, request: web.Request) -> dict[str, bool]:
        key, limits = asked_windows(request)
        reset = {limit.name: await self.limiter.windows.forget(limit.name, key) for limit in limits}
        log.info("windows_reset", kind=request.match_info["kind"], key=key, policies=list(reset))
        return reset


def asked_windows(request: web.Request) -> tuple[str, list[Limit]]:
    """The key and the limits of the requested windows. Raises Refusal."""
    kind = request.match_info["kind"]
    name = request.query.get("policy")
    if name is not None:
        asked_policy(name)
    limits = [limit for limit in LIMITS if limit.key == kind and name in (None, limit.name)]
    return asked_key(kind, request.match_info["key"]), limits


def asked_key(kind: str, text: str) -> str:
    if kind == "agent":
        if not could_be_name(text):
            raise bad_field("/key", "bad_format", "This cannot be the name of an agent.")
        return agent_key(text)
    try:
        return address_key(ip_address(text.removesuffix("/64")))
    except ValueError:
        raise bad_field("/key", "bad_format", "This is no address.") from None


def asked_policy(name: str) -> str:
    if name not in NAMES:
        raise Refusal("not_found", f"There is no such policy; there are {', '.join(NAMES)}.")
    return name

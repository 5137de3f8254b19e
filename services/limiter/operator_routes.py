"""The routes of the limiter's operator port: windows and policies.

GET    /windows/agent/NAME         the windows of an agent; /windows/address/ADDRESS those of a client's address
DELETE /windows/agent/NAME         empties them; with ?policy=NAME one of them
GET    /policies                   the policies in force, and the latest changes with their authors
PUT    /policies/NAME              changes one: {"who": ..., "quota": ..., "window": ..., "shadow": ...}
DELETE /policies/NAME?who=WHO      returns to that of the settings

PUT and DELETE need the operator's secret, which the operator port checks.
"""

import re
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Any, Final

import msgspec
import structlog
from aiohttp import web

from services.contract.bounds import NAME_PATTERN
from services.contract.checks import address_key, agent_key
from services.contract.limits import LIMITS, Limit

from .limiter import Limiter
from .messages import NAMES, PROBLEM_JSON, Refusal, bad_field, encode, parse
from .policies import Policy, TooLoose, Wanted, Who
from .window import StoreAway

Routes = list[web.RouteDef]
Answer = Callable[[web.Request], Awaitable[Any]]

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)
_wanted: Final = msgspec.json.Decoder(Wanted)


class Window(msgspec.Struct):
    """A window as operators see it: `calls` are the Unix times of the calls that count now, oldest first."""

    policy: str
    key: str
    limit: int
    window: int
    remaining: int
    reset_after: float
    calls: list[float]


class OperatorRoutes:
    """Serves the routes. Problems refer to the documents under `base_url`."""

    def __init__(self, limiter: Limiter, base_url: str) -> None:
        self._limiter = limiter
        self._base_url = base_url

    def routes(self) -> Routes:
        windows = "/windows/{kind:agent|address}/{key}"
        return [
            web.get(windows, self._answering(self._show_windows), allow_head=False),
            web.delete(windows, self._answering(self._reset_windows)),
            web.get("/policies", self._answering(self._show_policies), allow_head=False),
            web.put("/policies/{name}", self._answering(self._change_policy)),
            web.delete("/policies/{name}", self._answering(self._reset_policy)),
        ]

    def _answering(self, answer: Answer) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            try:
                body = encode(await answer(request))
            except Refusal as refusal:
                return self._refused(refusal)
            except StoreAway:
                return self._refused(Refusal("unavailable", "Redis does not answer."))
            return web.Response(body=body, content_type="application/json", headers={"Cache-Control": "no-store"})

        return handle

    def _refused(self, refusal: Refusal) -> web.Response:
        body = refusal.body(self._base_url)
        return web.Response(body=body, status=refusal.status, headers=refusal.headers, content_type=PROBLEM_JSON)

    async def _show_windows(self, request: web.Request) -> list[Window]:
        key, limits = asked_windows(request)
        await self._limiter.agree()
        return [await self._window(self._limiter.policies[limit.name], key) for limit in limits]

    async def _window(self, policy: Policy, key: str) -> Window:
        now, times = await self._limiter.windows.read(policy.name, key)
        calls = [time for time in times if time > now - policy.window]
        # more calls than the quota may count, as after it was lowered: then a call waits for the quota-th newest
        reset = calls[max(0, len(calls) - policy.quota)] + policy.window - now if calls else 0.0
        remaining = max(0, policy.quota - len(calls))
        return Window(policy.name, key, policy.quota, policy.window, remaining, reset, calls)

    async def _reset_windows(self, request: web.Request) -> dict[str, bool]:
        key, limits = asked_windows(request)
        reset = {limit.name: await self._limiter.windows.forget(limit.name, key) for limit in limits}
        _log.info("windows_reset", kind=request.match_info["kind"], key=key, policies=list(reset))
        return reset

    async def _show_policies(self, _request: web.Request) -> dict[str, Any]:
        await self._limiter.agree()
        policies = self._limiter.policies
        shown = [
            {**msgspec.to_builtins(policies[name]), "setting": policies.settings[name]} for name in policies.settings
        ]
        return {"policies": shown, "changes": policies.state.history}

    async def _change_policy(self, request: web.Request) -> Policy:
        name = asked_policy(request.match_info["name"])
        wanted = parse(_wanted, request.headers.get("Content-Type", ""), await request.read())
        policy = Policy(name, wanted.quota, wanted.window, wanted.shadow)
        return await self._put_in_force(name, wanted.who, policy)

    async def _reset_policy(self, request: web.Request) -> Policy:
        name = asked_policy(request.match_info["name"])
        try:
            who = msgspec.convert(request.query.get("who", ""), Who)
        except msgspec.ValidationError:
            raise bad_field("/who", "bad_format", "who must name you, in the query.") from None
        return await self._put_in_force(name, who, None)

    async def _put_in_force(self, name: str, who: str, policy: Policy | None) -> Policy:
        try:
            in_force = await self._limiter.change_policy(name, who, policy)
        except TooLoose as refusal:
            raise bad_field("/quota", "out_of_range", str(refusal)) from None
        _log.info("policy_changed", who=who, policy=name, in_force=msgspec.to_builtins(in_force))
        return in_force


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
        if not re.fullmatch(NAME_PATTERN, text):
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

"""A limit that refuses a load test is named, and those that pass within seconds are waited for."""

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import aiohttp
import pytest

from loadtests import board
from loadtests.agents import Agents
from loadtests.board import Board
from loadtests.errors import InvalidRun
from tests.listener import listener


def refused_by(*policies: str) -> dict[str, Any]:
    return {"code": "rate_limited", "retry_after": 62, "violated-policies": list(policies)}


class Refusing(BaseHTTPRequestHandler):
    """Refuses the first calls by these limits, and then accepts every call."""

    refusals: list[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        policy = self.refusals.pop(0) if self.refusals else None
        content = json.dumps(refused_by(policy) if policy else {"token": "t"}).encode()
        self.send_response(429 if policy else 201)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@pytest.fixture
def refusing(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that refuses calls by the limits of the parameter."""
    with listener(type("Handler", (Refusing,), {"refusals": list(request.param)})) as address:
        yield f"http://{address}"


async def registered(url: str, agents: Agents) -> None:
    async with aiohttp.ClientSession() as session:
        await agents.register(Board(session, url), asyncio.Semaphore(1))


@pytest.mark.parametrize("refusing", [("requests", "requests")], indirect=True)
def test_the_load_balancers_limit_on_requests_is_waited_for(
    refusing: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "PASSING_SECONDS", 0.01)
    asyncio.run(registered(refusing, agents := Agents(tmp_path, refusing)))
    assert len(agents.known) == 1


@pytest.mark.parametrize("refusing", [("registrations",)], indirect=True)
def test_a_limit_that_lasts_is_named_with_its_setting(refusing: str, tmp_path: Any) -> None:
    with pytest.raises(InvalidRun, match=r"^The limit registrations refuses .+ for 62 s; 0 .+ LIMIT_REGISTRATIONS: "):
        asyncio.run(registered(refusing, Agents(tmp_path, refusing)))


def test_the_report_names_the_limit_that_refused_a_call() -> None:
    assert board.unexpected(429, refused_by("requests")) == "status 429 by the limit requests"
    assert board.unexpected(404, {"code": "not_found"}) == "status 404"

"""Clients that do not send the rest of their bodies make the API hold no more than a bound, and refuse no whole one."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from services.contract.bounds import BODY_BYTES_MAX
from tests.api.raw import Raw
from tests.processes import ApiProcess
from tests.raw import request
from tests.waiting import wait_until
from tests.web import Web

REGISTER = "/api/agents/register"
CLIENTS = 16
# The bytes that each client sends: five of them are beyond the bound of the process.
HELD = 250_000
MOST = 5
REFUSED = re.compile(r'^agent_board_requests_total{operation="register_agent",status="503"} (\d+)', re.M)


class NarrowApi(ApiProcess):
    """An API process with room for a MiB of bodies that have arrived in part."""

    module = "tests.api.narrow_api"


@pytest.fixture
def narrow(database: str, tmp_path: Path) -> Iterator[ApiProcess]:
    with NarrowApi(database, tmp_path) as api:
        yield api


def unfinished(chunked: bool) -> bytes:
    """Return the beginning of a registration."""
    whole = request("POST", REGISTER, padded(BODY_BYTES_MAX))
    if chunked:
        head, _, body = whole.partition(b"\r\n\r\n")
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length")]
        whole = b"\r\n".join([*lines, b"Transfer-Encoding: chunked", b"", b"%x" % len(body), body])
    return whole[:HELD]


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_bodies_that_do_not_end_are_refused_beyond_a_bound(narrow: ApiProcess, chunked: bool) -> None:
    with ExitStack() as clients, Web(narrow.url) as web:
        slow = [clients.enter_context(Raw(narrow.url)) for _ in range(CLIENTS)]
        for client in slow:
            client.send(unfinished(chunked))
        wait_until(lambda: refusals(narrow) >= CLIENTS - MOST)
        # it should take bodies that are whole
        assert web.post(REGISTER, {"name": "whole"}).status == 201
    # it should have room again once they are gone
    wait_until(lambda: answered(narrow, padded(BODY_BYTES_MAX)) == 400)


def refusals(api: ApiProcess) -> int:
    found = REFUSED.search(api.operator("/metrics")[1])
    return int(found[1]) if found else 0


def answered(api: ApiProcess, body: bytes) -> int:
    with Raw(api.url) as raw:
        return raw.ask(request("POST", REGISTER, body)).status


def padded(size: int) -> bytes:
    return b'{"name": "'.ljust(size, b"a")

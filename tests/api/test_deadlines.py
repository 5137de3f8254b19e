"""Heads, bodies and answers have deadlines, and a client's fault is never counted as the board's."""

import asyncio
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest
from psutil import Process

from tests.api.raw import PING, Raw
from tests.load import Member, enlist
from tests.posts.locks import head_locked, until
from tests.processes import ApiProcess
from tests.raw import bearer, request
from tests.waiting import wait_until

NEW = b'{"title": "t", "body": "b"}'
UNKNOWN = "post-public;scope=public;reversible=?0"
REFUSED = f"{UNKNOWN};applied=?0"


class ImpatientApi(ApiProcess):
    """An API process whose deadlines for clients are half a second."""

    module = "tests.api.impatient_api"


@pytest.fixture(scope="module")
def impatient(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    with ImpatientApi(module_database, tmp_path_factory.mktemp("impatient")) as process:
        yield process


@pytest.fixture
async def db(module_database: str) -> Any:
    connection = await asyncpg.connect(module_database)
    yield connection
    await connection.close()


@pytest.fixture
async def member(db: asyncpg.Connection) -> Member:
    return (await enlist(db, 1))[0]


def test_a_head_whose_client_falls_silent_is_refused(impatient: ApiProcess) -> None:
    with Raw(impatient.url) as raw:
        answer = raw.send(PING[:-2]).answer()
        assert (answer.status, answer.codes, answer.effect) == (400, [("head", "bad_format")], "none")
        assert "in time" in answer.json["detail"]
        assert raw.is_closed()


def test_a_body_that_does_not_come_is_the_callers_fault(impatient: ApiProcess, member: Member) -> None:
    sent = request("POST", "/api/threads", b" " * 1000, bearer(member.token), "Upgrade: websocket")[:-990]
    with Raw(impatient.url) as raw:
        answer = raw.send(sent).answer()
    assert (answer.status, answer.codes, answer.effect) == (400, [("body", "bad_format")], REFUSED)
    assert "nothing was changed" in answer.json["detail"]


def test_a_client_that_reads_nothing_is_cut_off_and_no_fault_of_the_board(impatient: ApiProcess) -> None:
    with Raw(impatient.url) as raw:
        assert raw.is_usable()
        held = connections(impatient)
        # the answers are far more than the buffers of both sides hold
        raw.send(request("GET", "/openapi.json") * 300)
        wait_until(lambda: connections(impatient) < held)
    assert not is_logged(impatient, "read_openapi", 503)


def connections(api: ApiProcess) -> int:
    """How many connections to its public port a process has."""
    return sum(one.laddr.port == api.port and bool(one.raddr) for one in Process(api.running.pid).net_connections())


def is_logged(api: ApiProcess, operation: str, status: int) -> bool:
    return (operation, status) in [(line.get("operation"), line.get("status")) for line in api.log_lines()]


async def test_a_read_that_takes_too_long_changed_nothing(impatient: ApiProcess, db: asyncpg.Connection) -> None:
    async with db.transaction():
        await db.execute("LOCK TABLE agents")
        answer = await asyncio.to_thread(ask, impatient, request("GET", "/api/agents"))
    assert (answer.status, answer.code, answer.effect) == (503, "unavailable", "none")
    assert "nothing was changed" in answer.json["detail"]
    await until(lambda: asyncio.to_thread(is_logged, impatient, "list_agents", 503))


async def test_a_write_that_takes_too_long_may_have_been_made(
    impatient: ApiProcess, module_database: str, member: Member
) -> None:
    async with head_locked(module_database):
        sent = request("POST", "/api/threads", NEW, bearer(member.token))
        answer = await asyncio.to_thread(ask, impatient, sent)
    assert (answer.status, answer.code, answer.effect) == (503, "unavailable", UNKNOWN)
    assert "not known" in answer.json["detail"]


def ask(api: ApiProcess, sent: bytes) -> Any:
    with Raw(api.url) as raw:
        answer = raw.ask(sent)
        assert raw.is_closed()
        return answer

"""Every wait for a client has a deadline, however busily it sends, and its faults are never counted as the board's."""

import asyncio
import select
from collections.abc import Callable, Iterator
from typing import Any

import asyncpg
import pytest

from services.contract.limits import POSTS
from tests.api.raw import PING, Raw
from tests.api.unread import LONG, Unread
from tests.load import Member, enlist
from tests.posts.locks import head_locked, until
from tests.processes import ApiProcess
from tests.raw import bearer, request
from tests.web import Agent

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


def trickle(raw: Raw, byte: bytes) -> None:
    """Send a byte ten times a second until an answer or the end arrives. Fails after a time that only a fault takes."""
    for _ in range(300):
        if select.select([raw.socket], [], [], 0.1)[0]:
            return
        raw.send(byte)
    pytest.fail("nothing ended the request")


def requests(api: ApiProcess) -> list[tuple[str, int]]:
    """The operations and statuses that the process has logged."""
    return [(line["operation"], line["status"]) for line in api.log_lines() if line["event"] == "request"]


def test_a_head_that_does_not_end_is_cut_off_however_busily_it_comes(impatient: ApiProcess) -> None:
    with Raw(impatient.url) as raw:
        raw.send(PING[:-2], b"X: ")
        trickle(raw, b"a")
        assert raw.rest() == b""


def test_a_head_whose_client_falls_silent_is_refused(impatient: ApiProcess) -> None:
    with Raw(impatient.url) as raw:
        answer = raw.send(PING[:-2]).answer()
        assert (answer.status, answer.codes, answer.effect) == (400, [("head", "bad_format")], "none")
        assert "in time" in answer.json["detail"]
        assert raw.is_closed()


@pytest.mark.parametrize(("field", "byte"), [("X: y", b" "), ("Upgrade: websocket", b"")], ids=["busy", "upgrade"])
def test_a_body_that_does_not_come_is_the_callers_fault(
    impatient: ApiProcess, member: Member, field: str, byte: bytes
) -> None:
    with Raw(impatient.url) as raw:
        raw.send(request("POST", "/api/threads", b" " * 1000, bearer(member.token), field)[:-990])
        trickle(raw, byte)
        answer = raw.answer()
        assert (answer.status, answer.codes, answer.effect) == (400, [("body", "bad_format")], REFUSED)
        assert "nothing was changed" in answer.json["detail"]
        assert raw.is_closed()


def test_a_body_that_nobody_reads_has_a_deadline_too(impatient: ApiProcess) -> None:
    with Raw(impatient.url) as raw:
        assert raw.ask(request("POST", "/nowhere", b" " * 1000)[:-990]).status == 404
        trickle(raw, b" ")
        assert raw.is_closed()


async def test_a_client_that_reads_nothing_is_cut_off(impatient: ApiProcess) -> None:
    before = len(requests(impatient))
    with Raw(impatient.url) as raw:
        # the answers are far more than the buffers of both sides hold
        raw.send(request("GET", "/openapi.json") * 300)
        await until(lambda: asyncio.to_thread(has, impatient, ("read_openapi", 499), before))
    assert {status for _, status in requests(impatient)[before:]} == {200, 499}


async def test_a_client_that_reads_a_byte_at_a_time_is_cut_off(impatient: ApiProcess, member: Member) -> None:
    with Agent(impatient.url, member.token, member.name) as author:
        for _ in range(POSTS.quota):
            author.thread(body=LONG)
    before = len(requests(impatient))
    with Unread(impatient, request("GET", "/api/activity")) as client:
        assert client.status == 200
        await until(lambda: asyncio.to_thread(reads_until, client, impatient, ("list_activity", 499), before))


def reads_until(client: Unread, api: ApiProcess, line: tuple[str, int], before: int) -> bool:
    client.socket.recv(1)
    return has(api, line, before)


def has(api: ApiProcess, line: tuple[str, int], before: int = 0) -> bool:
    return line in requests(api)[before:]


async def test_a_hang_up_in_the_middle_of_pipelined_answers_is_a_499(impatient: ApiProcess) -> None:
    before = len(requests(impatient))
    raw = Raw(impatient.url)
    raw.send(request("GET", "/openapi.json") * 300)
    raw.answer()
    raw.socket.close()
    await until(lambda: asyncio.to_thread(has, impatient, ("read_openapi", 499), before))
    # the hang-up should be one line, and no fault of the board
    found = requests(impatient)[before:]
    assert found.count(("read_openapi", 499)) == 1
    assert {status for _, status in found} == {200, 499}


async def test_a_read_that_takes_too_long_changed_nothing(impatient: ApiProcess, db: asyncpg.Connection) -> None:
    async with db.transaction():
        await db.execute("LOCK TABLE agents")
        answer = await asyncio.to_thread(ask, impatient, request("GET", "/api/agents"))
    assert (answer.status, answer.code, answer.effect) == (503, "unavailable", "none")
    assert "nothing was changed" in answer.json["detail"]
    await until(lambda: asyncio.to_thread(has, impatient, ("list_agents", 503)))


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


def test_a_stop_waits_two_seconds_for_a_client(start_api: Callable[..., ApiProcess]) -> None:
    api = start_api()
    part = request("POST", "/api/agents/register", b"{}", "Upgrade: websocket")[:-1]
    waiting = [Raw(api.url).send(part) for _ in range(20)]
    with Raw(api.url) as raw:
        assert raw.is_usable()  # so the others have been read
    assert api.terminate() == 0
    for raw in waiting:
        assert raw.answer().status == 400
        raw.socket.close()
    assert not [line for line in api.log_lines() if line["event"] == "stop_step_cut_short"]

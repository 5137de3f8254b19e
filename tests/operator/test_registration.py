"""agent-board registration, and the limit on registrations of the whole board (interface 4.2, 6.1, 14.1)."""

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import asyncpg

from services.board.access.tokens import hash_token, new_token
from tests.operator import play
from tests.operator.conftest import Command
from tests.processes import ApiProcess
from tests.web import Answer, Web

REGISTER = "/api/agents/register"


def name() -> str:
    return f"agent-{secrets.token_hex(6)}"


def register(web: Web, key: str | None = None, called: str | None = None) -> Answer:
    return web.post(REGISTER, {"name": called or name()}, headers={"Idempotency-Key": key} if key else {})


async def test_no_replica_registers_once_the_command_has_ended(
    database: str, start_api: Callable[..., ApiProcess], command: Command
) -> None:
    with Web(start_api().url) as one, Web(start_api().url) as other:
        kept, body = "0123456789abcdef", name()
        first = await asyncio.to_thread(register, one, kept, body)
        assert (first.status, one.get("/api/start").json["registration"]) == (201, "open")
        for web in (one, other):
            assert "Registration is open" in web.get("/join").content.decode()
            assert "Registration is open" in web.get("/about").content.decode()
            assert "in one call and without an approval" in page(web)
        assert (await command("registration", "closed"))[0] == 0
        for web in (one, other):
            refused = await asyncio.to_thread(register, web)
            assert (refused.status, refused.code) == (403, "registration_closed")
            # a taken name is refused for the same reason, and a lost answer can still be repeated
            assert (await asyncio.to_thread(register, web, None, body)).code == "registration_closed"
            assert web.get("/api/start").json["registration"] == "closed"
            assert "Registration is closed" in web.get("/join").content.decode()
            assert "Registration is closed" in web.get("/about").content.decode()
            assert "Registration is closed" in page(web)
            again = await asyncio.to_thread(register, web, kept, body)
            assert (again.status, again.json["name"]) == (201, body)
        assert one.get("/api/agents/me", token=again.json["token"]).status == 200
        await command("registration", "open")
        for web in (one, other):
            assert web.get("/api/start").json["registration"] == "open"
            assert (await asyncio.to_thread(register, web)).status == 201


def page(web: Web) -> str:
    """Return the first page for people."""
    return web.get("/", headers={"Accept": "text/html"}).content.decode()


async def test_a_registration_that_reaches_the_database_after_the_command_is_refused(
    board: asyncpg.Connection, command: Command
) -> None:
    await command("registration", "closed")
    assert await board.fetchval(play.REGISTER, "alice", hash_token(new_token())) == "closed"


async def test_the_limit_of_the_whole_board_is_exact_over_replicas(
    board: asyncpg.Connection, start_api: Callable[..., ApiProcess], command: Command
) -> None:
    urls = [start_api().url for _ in range(2)]
    assert (await command("limits", "set", "board_registrations", "7/3600"))[1].endswith("is now 7/3600.\n")

    def some(url: str) -> list[Answer]:
        with Web(url) as web:
            return [register(web) for _ in range(5)]

    with ThreadPoolExecutor(4) as threads:
        answers = [answer for flood in threads.map(some, urls * 2) for answer in flood]
    assert len([answer for answer in answers if answer.status == 201]) == 7
    refused = [answer for answer in answers if answer.status != 201]
    assert {(answer.status, answer.code) for answer in refused} == {(429, "rate_limited")}
    for answer in refused:
        assert answer.json["violated-policies"] == ["board_registrations"]
        assert answer.json["detail"] == "At most 7 registrations per board in any 3600 seconds."
        assert 3500 < answer.json["retry_after"] < 3600 + 16
    # the agents that wait return at different times
    assert len({answer.json["retry_after"] for answer in refused}) > 1
    # the oldest counts no longer after its hour, and exactly one more may come
    await board.execute(
        "UPDATE agents SET (created, activity) = (moment, moment) FROM (SELECT created - interval '3600 s' AS moment "
        "FROM agents WHERE id = 1) earlier WHERE id = 1"
    )
    with Web(urls[0]) as web:
        assert [register(web).status for _ in range(2)] == [201, 429]
        assert (await command("limits", "reset", "board_registrations"))[1].endswith("is now off.\n")
        assert [register(web).status for _ in range(3)] == [201] * 3

"""Once a rotation is answered, the old token is dead everywhere, for every call, even waiting ones (interface 4.3)."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import asyncpg
import pytest

from tests.load import Client, Member, enlist, published, together
from tests.posts.locks import HOLD, blocked, head_locked, let_go, slow_begun
from tests.processes import ApiProcess
from tests.web import Answer

Clients = tuple[Client, Client]
HOUR = 3600
KEY = "a-key-of-16-char"
names = itertools.count(1)


def token_of(answer: Answer) -> str:
    assert answer.status == 200, answer.content
    return str(answer.json["token"])


async def works(client: Client, token: str) -> bool:
    """Return whether a token is accepted; a refused one must be reported as revoked."""
    answer = await client.get("/api/agents/me", token)
    assert answer.status == 200 or (answer.status, answer.code) == (401, "revoked_token")
    return answer.status == 200


async def those_that_work(clients: Clients, tokens: list[str]) -> list[str]:
    """Return the accepted tokens; both processes must agree."""
    working = [[token for token in tokens if await works(client, token)] for client in clients]
    assert working[0] == working[1]
    return working[0]


@pytest.mark.parametrize("key", [None, KEY])
async def test_two_rotations_at_once_leave_exactly_one_token_that_works(
    clients: Clients, db: asyncpg.Connection, key: str | None
) -> None:
    for member in await enlist(db, 8):
        answers = await together(client.rotate(member.token, key) for client in clients * 2)
        tokens = [token_of(answer) for answer in answers if answer.status == 200]
        # it should issue one token, or with the key a different one each time
        assert len(tokens) == (4 if key else 1)
        assert {answer.code for answer in answers if answer.status != 200} <= {"revoked_token"}
        assert len(await those_that_work(clients, [*tokens, member.token])) == 1
        assert not await works(clients[0], member.token)


async def wait_behind_a_rotation(
    clients: Clients, db: asyncpg.Connection, url: str, alice: Member, call: Callable[[], Awaitable[Answer]]
) -> Answer:
    """Return the answer to a call whose token is valid on arrival but replaced before its statement runs."""
    async with head_locked(url):
        rotation = asyncio.create_task(clients[0].rotate(alice.token))
        await blocked(db, 1)
        waiting = asyncio.ensure_future(call())
        await blocked(db, 2)
    token_of(await rotation)
    return await waiting


async def test_what_waits_behind_a_rotation_with_the_old_token_commits_nothing(
    clients: Clients, db: asyncpg.Connection, board_url: str
) -> None:
    author, *members = await enlist(db, 5)
    thread = published(await clients[0].thread(author))
    for member in members:
        assert await works(clients[0], member.token)
    one, two, three, four = members
    calls: list[tuple[Member, Callable[[], Awaitable[Answer]]]] = [
        (one, lambda: clients[1].thread(one, "Too late")),
        (two, lambda: clients[1].reply(two, thread, "Too late")),
        (three, lambda: clients[1].vote(three, thread, 1)),
        (four, lambda: clients[1].call("PATCH", "/api/agents/me", {"bio": "Too late"}, token=four.token)),
    ]
    for member, call in calls:
        answer = await wait_behind_a_rotation(clients, db, board_url, member, call)
        assert (answer.status, answer.code) == (401, "revoked_token")
        assert answer.effect.endswith(";applied=?0")
    # none of their writes should exist
    ids = [member.id for member in members]
    assert await db.fetchval("SELECT count(*) FROM posts WHERE author_id = ANY($1)", ids) == 0
    assert await db.fetchval("SELECT count(*) FROM votes WHERE agent_id = ANY($1)", ids) == 0
    assert await db.fetchval("SELECT count(*) FROM agents WHERE id = ANY($1) AND bio <> ''", ids) == 0


async def test_a_lost_rotation_is_rescued_by_its_key_while_the_replacement_was_never_used(
    clients: Clients, db: asyncpg.Connection
) -> None:
    (alice,) = await enlist(db, 1)
    lost = token_of(await clients[0].rotate(alice.token, KEY))
    # the token should not be recoverable without the key, or with another
    assert (await clients[1].rotate(alice.token)).code == "revoked_token"
    assert (await clients[1].rotate(alice.token, KEY[::-1])).code == "revoked_token"
    rescued = token_of(await clients[1].rotate(alice.token, KEY))
    again = token_of(await clients[0].rotate(alice.token, KEY))
    assert await those_that_work(clients, [alice.token, lost, rescued, again]) == [again]
    # it should be over once the replacement has been used
    assert (await clients[0].rotate(alice.token, KEY)).code == "revoked_token"
    assert await those_that_work(clients, [alice.token, lost, rescued, again]) == [again]


@pytest.mark.parametrize(("age", "rescued"), [(HOUR - 60, True), (HOUR + 1, False)])
async def test_a_lost_rotation_is_rescued_for_an_hour(
    clients: Clients, db: asyncpg.Connection, age: int, rescued: bool
) -> None:
    (alice,) = await enlist(db, 1)
    lost = token_of(await clients[0].rotate(alice.token, KEY))
    await db.execute("UPDATE retired_tokens SET retired_at = retired_at - $2 * interval '1 s' WHERE agent_id = $1",
                     alice.id, age)  # fmt: skip
    answer = await clients[1].rotate(alice.token, KEY)
    assert answer.status == (200 if rescued else 401)
    assert await works(clients[1], lost) is not rescued


async def register(client: Client, name: str, key: str | None = KEY, bio: str = "") -> Answer:
    return await client.call("POST", "/api/agents/register", {"name": name, "bio": bio}, key=key)


def new_name() -> str:
    return f"registered-{next(names)}"


async def test_a_lost_registration_is_rescued_by_its_key_while_the_token_was_never_used(clients: Clients) -> None:
    name = new_name()
    lost = (await register(clients[0], name)).json["token"]
    assert (await register(clients[1], name, None)).code == "name_taken"
    assert (await register(clients[1], name, KEY[::-1])).code == "name_taken"
    assert (await register(clients[1], name, KEY, "Another bio.")).code == "name_taken"
    answer = await register(clients[1], name)
    assert (answer.status, answer.json["name"]) == (201, name)
    assert await those_that_work(clients, [lost, answer.json["token"]]) == [answer.json["token"]]
    # it should be over once the token has been used
    assert (await register(clients[0], name)).code == "name_taken"


async def test_a_suspended_agent_cannot_rescue_its_registration(clients: Clients, db: asyncpg.Connection) -> None:
    name = new_name()
    lost = (await register(clients[0], name)).json["token"]
    await db.execute("SELECT moderate_agent($1, 'suspend', 'tester', 'A reason.')", name)
    assert (await register(clients[1], name)).code == "name_taken"
    # it should have left the token as it was
    await db.execute("SELECT moderate_agent($1, 'restore', 'tester', '')", name)
    assert await works(clients[1], lost)


async def test_registrations_of_one_name_at_once_make_one_agent(clients: Clients, db: asyncpg.Connection) -> None:
    name = new_name()
    answers = await together(register(clients[n % 2], name, KEY) for n in range(6))
    assert {answer.status for answer in answers} == {201}
    tokens = [answer.json["token"] for answer in answers]
    assert len(await those_that_work(clients, tokens)) == 1
    others = await together(register(clients[n % 2], name.upper(), None) for n in range(4))
    assert {answer.code for answer in others} == {"name_taken"}
    assert await db.fetchval("SELECT count(*) FROM agents WHERE lower(name) = $1", name) == 1


@pytest.mark.parametrize(("age", "rescued"), [(24 * HOUR - 60, True), (24 * HOUR + 1, False)])
async def test_a_lost_registration_is_rescued_for_a_day(
    clients: Clients, db: asyncpg.Connection, age: int, rescued: bool
) -> None:
    name = new_name()
    lost = (await register(clients[0], name)).json["token"]
    await db.execute("UPDATE agents SET created = created - $2 * interval '1 s' WHERE name = $1", name, age)
    assert (await register(clients[1], name)).status == (201 if rescued else 400)
    assert await works(clients[1], lost) is not rescued


async def test_a_registration_cannot_be_rescued_after_a_rotation(clients: Clients) -> None:
    name = new_name()
    first = (await register(clients[0], name)).json["token"]
    fresh = token_of(await clients[0].rotate(first))
    assert (await register(clients[1], name)).code == "name_taken"
    assert await works(clients[1], fresh)


CHANGED = "AFTER UPDATE ON agents"
FIRST_USE = HOLD.format(event=CHANGED, condition="NEW.token_used AND NOT OLD.token_used")
REPLACEMENT = HOLD.format(event=CHANGED, condition="NEW.token_hash <> OLD.token_hash")


@dataclass
class Lost:
    """A token whose answer was lost, the call that requests it again, and the refusal of that call."""

    token: str
    rescue: Callable[[], Awaitable[Answer]]
    refusal: str


async def lose_rotation(client: Client, db: asyncpg.Connection) -> Lost:
    (alice,) = await enlist(db, 1)
    token = token_of(await client.rotate(alice.token, KEY))
    return Lost(token, lambda: client.rotate(alice.token, KEY), "revoked_token")


async def lose_registration(client: Client, _: asyncpg.Connection) -> Lost:
    token = (await register(client, "alice")).json["token"]
    return Lost(token, lambda: register(client, "alice"), "name_taken")


Lose = Callable[[Client, asyncpg.Connection], Awaitable[Lost]]
over_losses = pytest.mark.parametrize("lose", [lose_rotation, lose_registration])


@over_losses
async def test_a_rescue_does_not_pass_over_a_first_use_that_has_not_committed_yet(
    start_patient_api: Callable[..., ApiProcess], own_db: asyncpg.Connection, lose: Lose
) -> None:
    async with Client(start_patient_api().url) as client:
        lost = await lose(client, own_db)
        await own_db.execute(FIRST_USE)
        first_use = asyncio.create_task(works(client, lost.token))
        await slow_begun(own_db)
        rescue = asyncio.ensure_future(lost.rescue())
        await blocked(own_db, 1)
        await let_go(own_db)
        # it should have been in time, and have ended the recovery
        assert await first_use
        assert (await rescue).code == lost.refusal
        assert await works(client, lost.token)


@over_losses
async def test_a_first_use_that_comes_while_its_token_is_being_replaced_is_refused(
    start_patient_api: Callable[..., ApiProcess], own_db: asyncpg.Connection, lose: Lose
) -> None:
    async with Client(start_patient_api().url) as client:
        lost = await lose(client, own_db)
        await own_db.execute(REPLACEMENT)
        rescue = asyncio.ensure_future(lost.rescue())
        await slow_begun(own_db)
        first_use = asyncio.create_task(works(client, lost.token))
        await blocked(own_db, 1)
        await let_go(own_db)
        replacement = (await rescue).json["token"]
        assert not await first_use
        assert await works(client, replacement)

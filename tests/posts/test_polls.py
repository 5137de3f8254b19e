"""Polls do not wait for the change feed: their statements check the token, so none is answered after its end."""

from collections.abc import Callable
from typing import Any

import asyncpg
import pytest

from services.board.access.tokens import hash_token, new_token
from services.board.inbox import inbox
from services.board.moderation import suspensions
from services.board.overview import home
from services.board.posts import streams
from services.contract.effects import READ_PRIVATE
from services.contract.operations import OPERATIONS
from services.contract.requests.queries import HomeQuery, InboxQuery, NotificationsQuery
from tests.load import Client, Member, caller_of, enlist
from tests.metrics import metric
from tests.processes import ApiProcess

READS = [
    (home.read_homes, HomeQuery()),
    (inbox.read_inboxes, InboxQuery()),
    (streams.read_notifications, NotificationsQuery()),
    (streams.read_notifications, NotificationsQuery(order="new")),
]
Clients = tuple[Client, Client]
PRIVATE = [operation for operation in OPERATIONS if operation.effect is READ_PRIVATE]
over_polls = pytest.mark.parametrize("path", [operation.path for operation in PRIVATE if operation.checks_token])
over_private_reads = pytest.mark.parametrize("path", [operation.path for operation in PRIVATE])
READS_OF_THE_FEED = "agent_board_tail_requests_count"
REISSUE = "SELECT outcome FROM reissue_token($1, $2, true, 0, 'olga', 'Lost.')"


async def known(client: Client, db: asyncpg.Connection) -> Member:
    """Return an agent whose token this process knows to work."""
    (member,) = await enlist(db, 1)
    assert (await client.get("/api/home", member.token)).status == 200
    return member


async def refused(client: Client, path: str, token: str) -> bool:
    """Return whether the first call after the end of a token is refused, and so is the next one."""
    answers = [await client.get(path, token) for _ in range(2)]
    return all(answer.status == 401 and answer.code == "revoked_token" for answer in answers)


@over_polls
async def test_a_poll_does_not_wait_for_the_change_feed(
    path: str, clients: Clients, replicas: tuple[ApiProcess, ApiProcess], db: asyncpg.Connection
) -> None:
    alice = await known(clients[0], db)
    before = metric(replicas[0], READS_OF_THE_FEED)
    assert (await clients[0].get(path, alice.token)).status == 200
    assert metric(replicas[0], READS_OF_THE_FEED) == before
    # any other private read should wait for it
    assert (await clients[0].get("/api/agents/me", alice.token)).status == 200
    assert metric(replicas[0], READS_OF_THE_FEED) == before + 1


@over_private_reads
async def test_a_token_that_was_replaced_elsewhere_is_refused(
    path: str, clients: Clients, db: asyncpg.Connection
) -> None:
    alice, bob = await known(clients[1], db), await known(clients[1], db)
    fresh = (await clients[0].rotate(alice.token)).json["token"]
    assert await refused(clients[1], path, alice.token)
    assert (await clients[1].get(path, fresh)).status == 200
    reissued = new_token()
    assert await db.fetchval(REISSUE, bob.name, hash_token(reissued)) == "issued"
    assert await refused(clients[1], path, bob.token)
    assert (await clients[1].get(path, reissued)).status == 200


@over_private_reads
async def test_a_suspended_agent_is_refused_with_the_reason_until_it_is_restored(
    path: str, clients: Clients, db: asyncpg.Connection
) -> None:
    alice = await known(clients[1], db)
    await suspensions.suspend(db, alice.name, "Floods.", "olga")
    answer = await clients[1].get(path, alice.token)
    assert answer.status == 401
    assert answer.json["suspended"]["reason"] == "Floods."
    await suspensions.restore(db, alice.name, "olga")
    assert (await clients[1].get(path, alice.token)).status == 200
    # it should go on after an end that has ended before the next poll
    await suspensions.suspend(db, alice.name, "Floods.", "olga")
    await suspensions.restore(db, alice.name, "olga")
    assert (await clients[1].get(path, alice.token)).status == 200


@over_polls
async def test_a_token_that_ended_precedes_a_wrong_query(path: str, clients: Clients, db: asyncpg.Connection) -> None:
    alice = await known(clients[1], db)
    assert (await clients[1].get(f"{path}?after=x", alice.token)).status == 400
    await clients[0].rotate(alice.token)
    assert await refused(clients[1], f"{path}?after=x", alice.token)


@pytest.mark.parametrize(("read", "query"), READS)
async def test_a_statement_answers_those_whose_tokens_work_and_no_other(
    read: Callable[..., Any], query: object, db: asyncpg.Connection
) -> None:
    callers = [await caller_of(db, member.id) for member in await enlist(db, 4)]
    await suspensions.suspend(db, callers[1].name, "", "olga")
    assert await db.fetchval(REISSUE, callers[2].name, hash_token(new_token())) == "issued"
    pages = await read(db, [(caller, query) for caller in callers])
    assert [page is not None for page in pages] == [True, False, False, True]
    assert pages[0] == [] or pages[0][0]["name"] == callers[0].name

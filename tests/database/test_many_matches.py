"""The list of agents that match (interface 8.3): whole up to a number of matches, and bounded beyond."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from services.board.agents import profiles
from services.board.database.connections import use_unix_seconds
from services.board.links import Links
from services.contract.requests.queries import AgentsQuery
from tests.contract.values import two_values
from tests.database.large_board import make_agents

AGENTS = 60
COMMON: dict[str, Any] = {"q": "is a common", "capability": "COMMON"}
ONE_OF_ITS_WORDS = "word7 nobodywrotethis"
FILTERS = sorted(two_values(AgentsQuery).keys() - {"q", "sort", "limit", "offset"})


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database)
    await use_unix_seconds(connection)
    await make_agents(connection, AGENTS)
    yield connection
    await connection.close()


async def names(db: asyncpg.Connection, query: AgentsQuery) -> list[str]:
    return [agent.name for agent in (await profiles.list_agents(db, query, Links("http://board"))).items]


@pytest.mark.parametrize("sort", ["active", "new", "popular", "name"])
async def test_of_many_matches_the_first_are_exact(
    sort: Any, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = await names(db, AgentsQuery(sort=sort, limit=100))
    assert len(every) == AGENTS
    assert await names(db, AgentsQuery(sort=sort, limit=100, **COMMON)) == every
    # it should list every match when there are no more than it sorts
    monkeypatch.setattr(profiles, "MATCHES_MAX", AGENTS)
    assert await names(db, AgentsQuery(sort=sort, limit=100, **COMMON)) == every
    # it should list those early in the order, then some more, still in the order
    monkeypatch.setattr(profiles, "MATCHES_MAX", 20)
    monkeypatch.setattr(profiles, "WALKED_MAX", 30)
    assert await names(db, AgentsQuery(sort=sort, limit=20, offset=5, **COMMON)) == every[5:25]
    some = await names(db, AgentsQuery(sort=sort, limit=100, **COMMON))
    assert some[:30] == every[:30]
    assert some == [name for name in every if name in some]
    # it should not list nothing when all matches come late
    monkeypatch.setattr(profiles, "WALKED_MAX", 0)
    assert len(await names(db, AgentsQuery(sort=sort, limit=100, **COMMON))) == 21


@pytest.mark.parametrize("name", FILTERS)
async def test_each_filter_holds_for_very_many_matches_and_for_similar_agents(
    name: str, db: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody: dict[str, Any] = {name: two_values(AgentsQuery)[name][0]}
    assert await names(db, AgentsQuery(q=ONE_OF_ITS_WORDS)) == ["agent-7"]
    assert await names(db, AgentsQuery(q=ONE_OF_ITS_WORDS, **nobody)) == []
    # as if there were too many to sort
    monkeypatch.setattr(profiles, "MATCHES_MAX", -1)
    assert await names(db, AgentsQuery(q="common")) != []
    assert await names(db, AgentsQuery(q="common", **nobody)) == []

"""Kinds of changes: this release knows its own, and survives those of the next one, so a roll-back works."""

import re
from collections.abc import Callable

import asyncpg

from services.api.cache.tags import ABSENT, DEPENDS, DROPS, is_remembered
from services.contract.operations import OPERATIONS
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Web

KINDS = "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'changes_kind'"
NEXT_RELEASE = """
ALTER DOMAIN change_kind DROP CONSTRAINT changes_kind;
ALTER DOMAIN change_kind ADD CONSTRAINT changes_kind CHECK (VALUE IN ('post', 'vote', 'limit', 'pin'));
"""
ITS_CHANGE = "SELECT append_change('pin', 1, 1, 'general')"


def test_the_tables_of_tags_are_complete(operator: Operator) -> None:
    ((definition,),) = operator.sql(KINDS)
    assert set(DROPS) == set(re.findall(r"'(\w+)'", definition))
    remembered = {operation for operation in OPERATIONS if is_remembered(operation) and not operation.document}
    assert set(DEPENDS) <= {operation.name for operation in remembered}
    found_by = [set(operation.parameters) for operation in remembered if operation.finds and operation.parameters]
    assert set(ABSENT) == set.union(*found_by)


async def test_a_release_runs_on_the_schema_of_the_next_one(
    database: str, start_api: Callable[..., ApiProcess]
) -> None:
    db = await asyncpg.connect(database)
    await db.execute(NEXT_RELEASE)
    await db.execute(ITS_CHANGE)
    api = start_api()
    with Web(api.url) as web:
        assert web.get("/api/stats").status == 200
        await db.execute("UPDATE log_head SET threads = 7, registration_open = false")
        await db.execute(ITS_CHANGE)
        # it should evict everything and read the rates, because it cannot know what the change affects
        assert web.get("/api/stats").json["threads"] == 7
        assert "Registration is closed" in web.get("/join").content.decode()
    await db.close()
    assert 'agent_board_memory_forgotten_total{reason="kind"} 1' in api.operator("/metrics")[1]

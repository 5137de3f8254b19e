"""The operators among the authors of a page are remembered until one is marked."""

import asyncpg

from services.api.cache.memory import Memory
from services.api.cache.operators import Operators
from services.process.metrics import Registry
from tests.load import enlist

MARK = "UPDATE agents SET operator = true WHERE name = $1"


async def test_the_same_authors_are_looked_up_once_until_an_operator_is_marked(shared_database: str) -> None:
    connection = await asyncpg.connect(shared_database)
    names = [agent.name for agent in await enlist(connection, 2)]
    asked: list[str] = []
    memory = Memory(2**20, Registry())
    operators = Operators(connection, memory)
    with connection.query_logger(lambda record: asked.append(record.query)):
        assert await operators.among([*names, names[0]], 1) == frozenset()
        assert await operators.among(reversed(names), 1) == frozenset()
        assert len(asked) == 1
        # other authors should be looked up
        assert await operators.among(names[:1], 1) == frozenset()
        assert len(asked) == 2
        await connection.execute(MARK, names[0])
        memory.apply([{"kind": "operator", "thread_id": None, "agent_id": 1, "community": None}])
        assert await operators.among(names, 2) == {names[0]}
        assert await operators.among(names[:1], 2) == {names[0]}
        assert await operators.among(names[1:], 2) == frozenset()
    await connection.close()

"""The processes of the release before work on the functions of this one: they run until they are replaced."""

import asyncpg
import pytest

from clients.generator.functions import called_functions, functions, unserved
from clients.generator.released import Function, releases
from services.board.database import revision

CALLED = Function(["bigint", "text"], 2, ["outcome"])


async def test_the_release_before_can_call_every_function(shared_database: str) -> None:
    connection = await asyncpg.connect(shared_database)
    found = await functions(connection, revision.functions())
    await connection.close()
    assert len(found) == len(revision.functions())
    for release in list(releases().values())[-1:]:
        assert unserved(release.functions, found) == [], "add arguments last, with a default, and only add columns"


def test_the_functions_that_processes_call_are_known() -> None:
    assert {"publish", "vote", "register", "search_threads", "deliver"} <= set(called_functions())
    assert {"receipt_digest", "index_marks"}.isdisjoint(called_functions())


@pytest.mark.parametrize(
    ("now", "serves"),
    [
        (CALLED, True),
        (Function(["bigint", "text", "int"], 2, ["outcome", "id"]), True),
        (Function(["bigint", "text", "int"], 3, ["outcome"]), False),
        (Function(["bigint", "int", "text"], 2, ["outcome"]), False),
        (Function(["bigint"], 1, ["outcome"]), False),
        (Function(["bigint", "text"], 2, ["id"]), False),
    ],
)
def test_a_function_serves_earlier_callers_if_it_only_adds(now: Function, serves: bool) -> None:
    assert now.serves(CALLED) is serves

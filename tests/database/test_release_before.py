"""The processes of the release before work on the functions of this one: they run until they are replaced."""

import asyncpg
import pytest

from tests.database.released_functions import Function, called_functions, functions, kept_functions

CALLED = Function(["bigint", "text"], 2, ["outcome"])


async def test_the_release_before_can_call_every_function(shared_database: str) -> None:
    released = kept_functions()
    connection = await asyncpg.connect(shared_database)
    found = await functions(connection, list(released))
    await connection.close()
    assert released.keys() - found.keys() == set(), "the release before calls these functions"
    changed = {name for name, function in released.items() if not found[name].serves(function)}
    assert changed == set(), "add arguments last, with a default, and only add columns"


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

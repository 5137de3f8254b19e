"""Every read with a page size takes 1 to 100, and no other (specification 8; interface 9.1)."""

from urllib.parse import urlencode

import pytest

from services.contract.bounds import PAGE_MAX
from services.contract.operations import INTERFACE, Operation
from tests.web import Agent

PAGED = [operation for operation in INTERFACE if operation.query and "limit" in operation.query.__struct_fields__]
# the lists whose number of items the specification leaves to the caller
SPECIFIED = {
    "list_agents",
    "list_threads",
    "search_board",
    "list_opportunities",
    "list_activity",
    "list_notifications",
    "list_inbox",
}


def test_every_list_of_the_specification_has_a_page_size() -> None:
    assert {operation.name for operation in PAGED} >= SPECIFIED


@pytest.mark.parametrize("operation", PAGED, ids=lambda operation: operation.name)
def test_a_page_has_1_to_100_items(operation: Operation, alice: Agent) -> None:
    path = operation.path.format(name=alice.name)
    for limit in (1, 2, 50, 51, 99, PAGE_MAX):
        answer = alice.get(f"{path}?{urlencode({**operation.example, 'limit': limit})}")
        assert (answer.status, answer.headers.get("Ignored-Parameters")) == (200, None), limit
    for limit in (0, -1, PAGE_MAX + 1):
        assert alice.get(f"{path}?limit={limit}").codes[-1] == ("limit", "out_of_range"), limit

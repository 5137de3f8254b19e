"""list_threads: GET /api/threads (interface 7.1, 9)."""

import secrets

import pytest

from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

THREADS = "/api/threads"


@pytest.fixture
def place() -> str:
    """A community that only this test uses."""
    return f"place-{secrets.token_hex(5)}"


def ids(answer: Answer) -> list[int]:
    return [item["id"] for item in answer.json["items"]]


def test_paging_by_the_links_does_not_drift_while_threads_come_in(
    alice: Agent, bob: Agent, web: Web, place: str
) -> None:
    threads = [alice.thread(community=place)["id"] for _ in range(4)]
    first = web.get(f"{THREADS}?community={place}&limit=2")
    late = [bob.thread(community=place)["id"] for _ in range(3)]
    rest = web.get(first.headers["Link"].removeprefix(f"<{web.url}").removesuffix('>; rel="next"'))
    # it should show each old thread once and no later one
    assert (ids(first) + ids(rest), rest.json["has_more"]) == (threads[::-1], False)
    # it should have repeated some threads without the moment
    drifted = ids(web.get(f"{THREADS}?community={place}&limit=2&offset=2"))
    assert drifted == [late[0], threads[3]]


def test_paging_by_the_time_of_the_last_thread_drops_nothing_when_threads_are_hidden(
    alice: Agent, web: Web, operator: Operator, place: str
) -> None:
    threads = [alice.thread(community=place) for _ in range(7)][::-1]
    page, seen = web.get(f"{THREADS}?community={place}&limit=3"), dict[int, None]()
    while True:
        seen |= dict.fromkeys(ids(page))
        if not page.json["has_more"]:
            break
        # the first, so that an offset would skip a thread, and the last, with which the next page would begin
        operator.hide(page.json["items"][0])
        operator.hide(page.json["items"][-1])
        page = web.get(f"{THREADS}?community={place}&limit=3&as_of={page.json['items'][-1]['created']}")
    assert list(seen) == [thread["id"] for thread in threads]

"""list_threads: GET /api/threads (interface 7.1, 9)."""

import secrets
from collections.abc import Callable

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


def test_filters_by_community_and_author_go_together(alice: Agent, bob: Agent, web: Web, place: str) -> None:
    mine, elsewhere = alice.thread(community=place), alice.thread(community=f"{place}-2")
    his = bob.thread(community=place)
    for sort in ("new", "active", "popular"):
        assert ids(web.get(f"{THREADS}?sort={sort}&community={place}")) == [his["id"], mine["id"]]
        assert ids(web.get(f"{THREADS}?sort={sort}&author={alice.name}")) == [elsewhere["id"], mine["id"]]
        assert ids(web.get(f"{THREADS}?sort={sort}&author={alice.name}&community={place}")) == [mine["id"]]
        assert ids(web.get(f"{THREADS}?sort={sort}&author={bob.name}&community={place}-2")) == []


def test_nothing_is_found_of_an_unknown_author_or_community(web: Web, place: str) -> None:
    for query in ("author=nobody-has-this-name", "author=%F0%9F%A6%9E", f"community={place}"):
        answer = web.get(f"{THREADS}?{query}")
        assert (answer.status, answer.json["items"], answer.json["has_more"]) == (200, [], False)


def test_hidden_threads_are_out_of_the_list_until_shown_again(
    alice: Agent, web: Web, operator: Operator, place: str
) -> None:
    first, second = (alice.thread(community=place) for _ in range(2))
    operator.hide(second)
    for sort in ("new", "active", "popular"):
        assert ids(web.get(f"{THREADS}?community={place}&sort={sort}")) == [first["id"]]
    operator.unhide(second)
    assert ids(web.get(f"{THREADS}?community={place}")) == [second["id"], first["id"]]


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


def test_as_of_leaves_out_what_came_later(alice: Agent, web: Web, place: str) -> None:
    first, second = (alice.thread(community=place) for _ in range(2))
    answer = web.get(f"{THREADS}?community={place}&as_of={first['created']}")
    assert (ids(answer), answer.json["as_of"]) == ([first["id"]], first["created"])
    assert ids(web.get(f"{THREADS}?community={place}&as_of={second['created']}")) == [second["id"], first["id"]]
    # it should take every form of a number, as JSON writes it
    for moment in ("0", "1e-7", "0.1234567890123", "1.5E%2B3"):
        assert ids(web.get(f"{THREADS}?community={place}&as_of={moment}")) == []
    assert ids(web.get(f"{THREADS}?community={place}&as_of=2.5e11")) == [second["id"], first["id"]]


def test_the_tag_of_a_page_leaves_the_moment_out(alice: Agent, bob: Agent, web: Web, place: str) -> None:
    thread = alice.thread(community=place)
    before = web.get(f"{THREADS}?community={place}")
    bob.thread(community=f"{place}-2")
    # it should not change with a thread elsewhere, even at a later moment
    after = web.get(f"{THREADS}?community={place}")
    assert after.json["as_of"] > before.json["as_of"]
    assert after.headers["ETag"] == before.headers["ETag"]
    # it should change with everything that a page shows
    tags = [before.headers["ETag"]]
    changes: list[Callable[[], object]] = [
        lambda: bob.vote(thread, 1),
        lambda: bob.reply(thread),
        lambda: bob.thread(community=place),
    ]
    for change in changes:
        change()
        tags.append(web.get(f"{THREADS}?community={place}").headers["ETag"])
    assert len(set(tags)) == 4


@pytest.mark.parametrize("sort", ["new", "active", "popular"])
def test_only_threads_since_a_time(alice: Agent, web: Web, sort: str) -> None:
    first, second, third = (alice.thread(community=f"since-{sort}") for _ in range(3))
    alice.reply(first)
    for since, expected in (
        (first["created"], {first["id"], second["id"], third["id"]}),
        (second["created"], {second["id"], third["id"]}),
        (third["created"] + 0.000001, set()),
    ):
        path = f"/api/threads?sort={sort}&author={alice.name}&community=since-{sort}&since={since:.6f}"
        assert {thread["id"] for thread in web.get(path).json["items"]} == expected

"""list_threads: GET /api/threads (interface 7.1, 9)."""

import secrets
from collections.abc import Callable
from typing import Any

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


def follow(web: Web, path: str) -> list[Answer]:
    """Return a page and all those that its links lead to."""
    pages = [web.get(path)]
    while link := pages[-1].headers["Link"]:
        assert link.startswith(f"<{web.url}/")
        pages.append(web.get(link.removeprefix(f"<{web.url}").removesuffix('>; rel="next"')))
    return pages


def test_a_page_has_threads_as_they_are_read_and_no_replies(alice: Agent, bob: Agent, web: Web, place: str) -> None:
    thread = alice.thread(community=place, wanted_capabilities=["sql"])
    bob.vote(thread, 1)
    bob.reply(thread)
    answer = web.get(f"{THREADS}?community={place}")
    # it should be a public page
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert list(answer.json) == ["items", "has_more", "next_offset", "as_of"]
    assert (answer.json["has_more"], answer.json["next_offset"]) == (False, 1)
    assert "Link" not in answer.headers
    # it should count the reply and the vote
    (item,) = answer.json["items"]
    assert item == web.get(f"{THREADS}/{thread['id']}").json["thread"]
    assert (item["reply_count"], item["score"]) == (1, 1)


def test_new_is_the_default_and_puts_the_newest_first(alice: Agent, bob: Agent, web: Web, place: str) -> None:
    threads = [alice.thread(community=place)["id"] for _ in range(3)]
    bob.reply({"id": threads[0]})
    assert ids(web.get(f"{THREADS}?community={place}")) == threads[::-1]
    assert ids(web.get(f"{THREADS}?community={place}&sort=new")) == threads[::-1]


def test_active_puts_the_newest_reply_first(alice: Agent, bob: Agent, web: Web, operator: Operator, place: str) -> None:
    first, second, third = (alice.thread(community=place)["id"] for _ in range(3))
    reply = bob.reply({"id": first})
    listed = f"{THREADS}?community={place}&sort=active"
    assert ids(web.get(listed)) == [first, third, second]
    # it should follow the newest visible reply
    operator.hide(reply)
    assert ids(web.get(listed)) == [third, second, first]


def test_popular_follows_the_votes_of_others(alice: Agent, bob: Agent, carol: Agent, web: Web, place: str) -> None:
    first, second, third = (alice.thread(community=place) for _ in range(3))
    listed = f"{THREADS}?community={place}&sort=popular"
    assert ids(web.get(listed)) == [third["id"], second["id"], first["id"]]
    # it should not count the author's own vote
    alice.vote(first, 1)
    assert ids(web.get(listed)) == [third["id"], second["id"], first["id"]]
    # it should count the votes of other agents, up and down
    bob.vote(first, 1)
    carol.vote(third, -1)
    assert ids(web.get(listed)) == [first["id"], second["id"], third["id"]]
    bob.vote(first, 0)
    carol.vote(second, 1)
    assert ids(web.get(listed)) == [second["id"], first["id"], third["id"]]


def test_hot_is_what_the_formula_says(operator: Operator) -> None:
    votes = "SELECT round(hot(s, to_timestamp(1760000000))::numeric, 6)::text FROM unnest($1::int[]) s"
    rows = operator.sql(votes, [0, 1, -1, 9, 99])
    assert [row[0] for row in rows] == ["39111.111111", "39111.412141", "39110.810081", "39112.111111", "39113.111111"]


def test_an_unanswered_thread_is_as_hot_as_the_formula_says(alice: Agent, operator: Operator) -> None:
    thread = alice.thread()
    ((hot,),) = operator.sql("SELECT hot FROM posts WHERE id = $1", thread["id"])
    assert hot == pytest.approx(thread["created"] / 45000, abs=1e-9)


def test_filters_by_community_and_author_go_together(alice: Agent, bob: Agent, web: Web, place: str) -> None:
    mine, elsewhere = alice.thread(community=place), alice.thread(community=f"{place}-2")
    his = bob.thread(community=place)
    for sort in ("new", "active", "popular"):
        assert ids(web.get(f"{THREADS}?sort={sort}&community={place}")) == [his["id"], mine["id"]]
        assert ids(web.get(f"{THREADS}?sort={sort}&author={alice.name}")) == [elsewhere["id"], mine["id"]]
        assert ids(web.get(f"{THREADS}?sort={sort}&author={alice.name}&community={place}")) == [mine["id"]]
        assert ids(web.get(f"{THREADS}?sort={sort}&author={bob.name}&community={place}-2")) == []


def test_the_case_of_a_filter_does_not_matter(alice: Agent, web: Web, place: str) -> None:
    thread = alice.thread(community=place)
    query = f"author={alice.name.upper()}&community={place.upper()}"
    assert ids(web.get(f"{THREADS}?{query}")) == [thread["id"]]


def test_nothing_is_found_of_an_unknown_author_or_community(web: Web, place: str) -> None:
    for query in ("author=nobody-has-this-name", "author=%F0%9F%A6%9E", f"community={place}"):
        answer = web.get(f"{THREADS}?{query}")
        assert (answer.status, answer.json["items"], answer.json["has_more"]) == (200, [], False)


def test_an_empty_filter_does_not_filter(alice: Agent, web: Web) -> None:
    alice.thread()
    assert web.get(f"{THREADS}?community=&author=&as_of=").json["items"] == web.get(THREADS).json["items"] != []


def test_parameters_that_nobody_knows_are_ignored(alice: Agent, web: Web) -> None:
    alice.thread()
    assert web.get(f"{THREADS}?utm_source=x&after=7&LIMIT=0").json == web.get(THREADS).json


def test_hidden_threads_are_out_of_the_list_until_shown_again(
    alice: Agent, web: Web, operator: Operator, place: str
) -> None:
    first, second = (alice.thread(community=place) for _ in range(2))
    operator.hide(second)
    for sort in ("new", "active", "popular"):
        assert ids(web.get(f"{THREADS}?community={place}&sort={sort}")) == [first["id"]]
    operator.unhide(second)
    assert ids(web.get(f"{THREADS}?community={place}")) == [second["id"], first["id"]]


def test_pages_hold_every_thread_once(alice: Agent, web: Web, place: str) -> None:
    threads = [alice.thread(community=place)["id"] for _ in range(5)]
    pages = follow(web, f"{THREADS}?community={place}&limit=2")
    assert [ids(page) for page in pages] == [threads[4:2:-1], threads[2:0:-1], threads[:1]]
    assert [page.json["has_more"] for page in pages] == [True, True, False]
    assert [page.json["next_offset"] for page in pages] == [2, 4, 5]


def test_a_page_holds_25_unless_asked_otherwise(alice: Agent, web: Web, operator: Operator, place: str) -> None:
    for _ in range(3):
        operator.forget_post_times()
        for _ in range(9):
            alice.thread(community=place)
    first, second = follow(web, f"{THREADS}?community={place}")
    assert (len(ids(first)), len(ids(second))) == (25, 2)
    # it should give up to 100
    assert len(ids(web.get(f"{THREADS}?community={place}&limit=100"))) == 27


def test_the_next_page_is_linked_with_every_filter_and_its_moment(alice: Agent, web: Web, place: str) -> None:
    for _ in range(2):
        alice.thread(community=place)
    page = web.get(f"{THREADS}?community={place}&author={alice.name}&sort=active&limit=1")
    query = f"sort=active&community={place}&author={alice.name}&limit=1&offset=1&as_of={page.json['as_of']}"
    assert page.headers["Link"] == f'<{web.url}{THREADS}?{query}>; rel="next"'


def test_paging_by_the_links_does_not_drift_while_threads_come_in(
    alice: Agent, bob: Agent, web: Web, place: str
) -> None:
    threads = [alice.thread(community=place)["id"] for _ in range(4)]
    first = web.get(f"{THREADS}?community={place}&limit=2")
    late = [bob.thread(community=place)["id"] for _ in range(3)]
    rest = follow(web, first.headers["Link"].removeprefix(f"<{web.url}").removesuffix('>; rel="next"'))
    # it should show each old thread once and no later one
    assert ids(first) + [thread for page in rest for thread in ids(page)] == threads[::-1]
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


def test_beyond_the_end_there_is_an_empty_page(web: Web) -> None:
    page = web.get(f"{THREADS}?offset=9007199254740991").json
    assert (page["items"], page["has_more"], page["next_offset"]) == ([], False, 9007199254740991)


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


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("sort=hot", "sort", "not_allowed_value"),
        ("sort=NEW", "sort", "not_allowed_value"),
        ("limit=0", "limit", "out_of_range"),
        ("limit=101", "limit", "out_of_range"),
        ("limit=ten", "limit", "wrong_type"),
        ("limit=", "limit", "wrong_type"),
        ("limit=5&limit=5", "limit", "too_many"),
        ("offset=-1", "offset", "out_of_range"),
        ("offset=9007199254740992", "offset", "out_of_range"),
        ("community=two%20words", "community", "bad_format"),
        (f"community={'a' * 41}", "community", "too_long"),
        (f"author={'a' * 41}", "author", "too_long"),
        ("author=%00", "author", "control_character"),
        ("as_of=yesterday", "as_of", "wrong_type"),
        ("as_of=-1", "as_of", "out_of_range"),
        ("as_of=253402300800", "as_of", "out_of_range"),
        ("as_of=NaN", "as_of", "wrong_type"),
        ("as_of=1e999", "as_of", "out_of_range"),
        ("as_of=1e", "as_of", "wrong_type"),
    ],
)
def test_a_wrong_query_is_refused_and_not_bent_into_shape(web: Web, query: str, field: str, code: str) -> None:
    answer = web.get(f"{THREADS}?{query}")
    assert (answer.status, answer.codes) == (400, [(field, code)])
    assert answer.json["errors"][0]["pointer"] is None


def test_all_that_is_wrong_with_a_query_is_said_at_once(web: Web) -> None:
    answer = web.get(f"{THREADS}?limit=0&offset=x&sort=best")
    assert sorted(answer.codes) == [("limit", "out_of_range"), ("offset", "wrong_type"), ("sort", "not_allowed_value")]


def test_an_unknown_sort_is_answered_with_the_allowed_ones(web: Web) -> None:
    error: Any = web.get(f"{THREADS}?sort=hot").json["errors"][0]
    assert all(sort in error["detail"] for sort in ("new", "active", "popular"))


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

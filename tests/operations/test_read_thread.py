"""read_thread: GET /api/threads/{id} (interface 2, 7.6, 9.5)."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from services.contract.bounds import BODY_MAX
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

NEXT = re.compile('<(.*)>; rel="next"')


def ids_of(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.content
    return [reply["id"] for reply in answer.json["replies"]]


def pages_of(web: Web, path: str, meanwhile: Callable[[], Any] = lambda: None) -> Iterator[list[int]]:
    """Return the ids of each page that the links lead to; something happens between two pages."""
    following: str | None = path
    while following:
        answer = web.get(following)
        yield ids_of(answer)
        meanwhile()
        link = NEXT.search(answer.headers["Link"] or "")
        following = link and link[1].removeprefix(web.url)


@pytest.mark.parametrize("sort", ["old", "new", "score"])
def test_no_order_misses_a_reply_while_the_thread_changes(
    alice: Agent, bob: Agent, carol: Agent, web: Web, operator: Operator, sort: str
) -> None:
    thread = alice.thread()
    replies = [author.reply(thread) for author in (alice, bob) for _ in range(4)]
    changes = iter(
        [
            lambda: (alice.vote(replies[-1], 1), bob.vote(replies[0], -1), carol.reply(thread)),
            lambda: (bob.vote(replies[-1], 1), alice.vote(replies[4], 1), alice.vote(replies[3], -1)),
            lambda: (carol.vote(replies[6], 1), carol.vote(replies[1], -1)),
        ]
    )
    pages = pages_of(web, f"/api/threads/{thread['id']}?sort={sort}&limit=2", lambda: next(changes, lambda: None)())
    found = [reply for page in pages for reply in page]
    assert set(found) >= {reply["id"] for reply in replies}
    # it should repeat none
    assert len(found) == len(set(found))


def test_a_thread_of_thousands_is_ranked_part_by_part(
    alice: Agent, web: Web, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = alice.thread()
    for number in range(2):
        alice.vote(alice.reply(thread, f"{number}"), 1 - 2 * number)
    # further replies like the first one, as a long thread has them
    operator.sql(
        "INSERT INTO posts (id, parent, author_id, author, community, body, created, activity, digest, request_id)"
        " SELECT h.last_id + n, $1, author_id, author, community, body, created, activity, digest, gen_random_uuid()"
        " FROM posts, log_head h, generate_series(1, 1500) n WHERE posts.id = $1",
        thread["id"],
    )
    operator.sql("UPDATE log_head SET last_id = (SELECT max(id) FROM posts)")
    operator.sql("UPDATE posts SET score = 9 WHERE id = (SELECT max(id) FROM posts)")
    path = f"/api/threads/{thread['id']}"
    whole = [reply for page in pages_of(web, path) for reply in page]
    best = [reply for page in pages_of(web, f"{path}?sort=score") for reply in page]
    assert (len(whole), sorted(best)) == (1502, whole)
    assert (best[0], best[999], best[1000]) == (whole[0], whole[1], whole[-1])


def test_the_page_around_a_post_has_it_in_its_middle(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread, other = alice.thread(), alice.thread()
    replies = [author.reply(thread)["id"] for author in (alice, bob) for _ in range(4)]
    path = f"/api/threads/{thread['id']}"
    for at, offset in ((5, 3), (1, 0), (7, 5)):
        answer = web.get(f"{path}?around={replies[at]}&limit=4")
        assert (ids_of(answer), answer.json["offset"]) == (replies[offset : offset + 4], offset)
    # its links should lead on from there
    assert list(pages_of(web, f"{path}?around={replies[3]}&limit=4")) == [replies[1:5], replies[5:]]
    assert ids_of(web.get(f"{path}?around={thread['id']}&limit=2")) == replies[:2]
    # any other post should be unknown
    operator.hide({"id": replies[2]})
    for unknown in (other["id"], replies[2], 9007199254740991):
        assert web.get(f"{path}?around={unknown}").status == 404
    operator.unhide({"id": replies[2]})
    assert ids_of(web.get(f"{path}?around={replies[2]}&limit=1")) == [replies[2]]


def test_the_page_around_a_post_has_it_however_long_the_others_are(alice: Agent, bob: Agent, web: Web) -> None:
    thread, long = alice.thread(), "\U0001f600" * BODY_MAX
    replies = [author.reply(thread, long)["id"] for author in (alice, bob, web.register("dora")) for _ in range(9)]
    assert replies[-1] in ids_of(web.get(f"/api/threads/{thread['id']}?around={replies[-1]}"))


def test_a_position_of_another_order_is_refused(alice: Agent, web: Web) -> None:
    path = f"/api/threads/{alice.thread()['id']}"
    for query, field in (("offset=1&sort=new", "offset"), ("offset=1&around=1", "offset"), ("cursor=1", "cursor"),
                         ("cursor=1&around=1", "cursor"), ("around=1&sort=score", "around")):  # fmt: skip
        answer = web.get(f"{path}?{query}")
        assert (answer.status, answer.codes) == (400, [(field, "not_allowed_value")]), query

"""show_thread: GET /t/{id} (interface 16.2)."""

from urllib.parse import urlsplit

import pytest

from services.api.pages.conversation import DEPTH_MAX
from services.api.pages.sizes import REPLIES_PER_PAGE
from tests.operations.hand import Operator
from tests.pages.page import Element, Page
from tests.web import Agent, Web


def post(page: Element, post_id: int) -> Element:
    """The element of a post."""
    (found,) = [one for one in page.all("article") if one.attributes.get("id") == f"post-{post_id}"]
    return found


def test_it_shows_the_thread_and_its_replies_as_they_answer_each_other(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread("Ways <i>to</i> page", "**Which** one?", wanted_capabilities=["sql"])
    first = bob.reply(thread, "By key.")
    second = alice.reply(thread, "Another.")
    answer = alice.reply(thread, "Thanks.", reply_to=first["id"])
    page = Page.of(web.get(f"/t/{thread['id']}"))
    assert page.one("title").text == "Ways <i>to</i> page · agent-board"
    assert page.one("h1").text == "Ways <i>to</i> page"
    assert post(page, thread["id"]).one("strong").text == "Which"
    top = page.one("ol", "first")
    assert [one.attributes["id"] for one in top.all("article")] == [
        f"post-{one['id']}" for one in (first, answer, second)
    ]
    assert [one.attributes["id"] for one in top.one("ol").all("article")] == [f"post-{answer['id']}"]
    (answers,) = [span for span in post(page, answer["id"]).all("span") if span.text.startswith("answers")]
    assert answers.text == f"answers {bob.name} #{first['id']}"
    assert answers.one("a").attributes["href"] == f"#post-{first['id']}"


def test_answers_that_are_very_deep_stand_next_to_each_other(alice: Agent, bob: Agent, web: Web) -> None:
    thread = alice.thread()
    last = None
    ids = []
    for number in range(DEPTH_MAX + 4):
        last = (alice, bob)[number % 2].reply(thread, f"{number}", reply_to=last)["id"]
        ids.append(last)
    page = Page.of(web.get(f"/t/{thread['id']}"))
    assert len(page.all("ol", "turns")) == DEPTH_MAX
    assert [one.attributes["id"] for one in page.all("ol", "turns")[-1].all("article")] == [
        f"post-{one}" for one in ids[DEPTH_MAX - 1 :]
    ]


def test_the_page_of_a_reply_leads_to_its_place_in_the_thread(alice: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread()
    reply = alice.reply(thread)
    path = f"/t/{reply['id']}"
    for method, accept in (("GET", "text/html"), ("HEAD", "text/html"), ("GET", "*/*"), ("GET", "application/json")):
        answer = web.call(method, path, headers={"Accept": accept})
        assert (answer.status, answer.content, answer.effect) == (303, b"", "none")
        assert answer.headers["Location"] == f"{web.url}/t/{thread['id']}?post={reply['id']}#post-{reply['id']}"
    where = urlsplit(answer.headers["Location"])
    assert post(Page.of(web.get(f"{where.path}?{where.query}")), reply["id"]).attributes["id"] == where.fragment
    ordered = web.get(f"{path}?sort=new").headers["Location"]
    assert ordered == f"{web.url}/t/{thread['id']}?sort=new&post={reply['id']}#post-{reply['id']}"
    # under /api/ it should be a problem, whatever the client accepts
    assert web.get(f"/api/threads/{reply['id']}", headers={"Accept": "text/html"}).status == 404
    # it should not reveal the thread of a hidden reply
    operator.hide(reply)
    hidden = web.get(path, headers={"Accept": "text/html"})
    assert (hidden.status, hidden.headers["Location"]) == (404, None)


def test_only_the_board_marks_operators(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    thread = alice.thread("I am the operator", "<span class=operator>operator</span> **operator**")
    reply = bob.reply(thread, "I too")
    target = f"/t/{thread['id']}"
    assert not Page.of(web.get(target)).all("span", "operator")
    operator.mark(bob.name)
    page = Page.of(web.get(target))
    assert page.one("span", "operator").text == "operator"
    assert post(page, reply["id"]).all("span", "operator")


def ids_of(page: Element) -> list[int]:
    """The ids of the replies on a page, in their order."""
    turns = page.all("ol", "first")
    return [int(one.attributes["id"].removeprefix("post-")) for one in turns[0].all("article")] if turns else []


@pytest.fixture
def ranked(web: Web, operator: Operator) -> dict[str, list[int]]:
    """The order of the replies of a thread in each order, whose id is that of `thread`: three have points.

    Two replies are hidden: one that a visible one answers, and one that none answers.
    """
    agents = [web.register("alice") for _ in range((REPLIES_PER_PAGE + 5) // 9 + 1)]
    thread = agents[0].thread()
    replies = [agents[number // 9].reply(thread, f"{number}")["id"] for number in range(REPLIES_PER_PAGE + 3)]
    answer = agents[-1].reply(thread, "an answer", reply_to=replies[5])["id"]
    for hidden in (replies[5], replies[6]):
        operator.hide({"id": hidden})
    for points, reply in enumerate((replies[20], answer, replies[2]), 1):
        for agent in agents[:points]:
            agent.vote({"id": reply}, 1)
    agents[0].vote({"id": replies[3]}, -1)
    old = [reply for reply in (*replies, answer) if reply != replies[6]]
    top, last = [replies[2], answer, replies[20]], [replies[3], replies[5]]
    score = [*top, *(reply for reply in old if reply not in (*top, *last)), *last]
    return {"thread": [thread["id"]], "old": old, "new": old[::-1], "score": score}


def test_every_order_has_each_reply_once_and_the_page_of_a_post_has_it(ranked: dict[str, list[int]], web: Web) -> None:
    target = f"/t/{ranked['thread'][0]}"
    nested = sorted(ids_of(Page.of(web.get(target))))
    assert nested == sorted(ranked["old"][:REPLIES_PER_PAGE])
    for sort in ("old", "new", "score"):
        first, second = (Page.of(web.get(f"{target}?sort={sort}&page={number}")) for number in (1, 2))
        if sort != "old":
            assert ids_of(first) + ids_of(second) == ranked[sort]
        assert len(ids_of(first)) == REPLIES_PER_PAGE
        assert [link.attributes.get("rel") for link in first.all("nav", "pages")[0].all("a")] == ["next"]
        assert [link.attributes.get("rel") for link in second.all("nav", "pages")[0].all("a")] == ["prev"]
        assert ids_of(Page.of(web.get(f"{target}?sort={sort}&page=3"))) == []
        for place, reply in enumerate(ranked[sort]):
            if place in (0, REPLIES_PER_PAGE - 1, REPLIES_PER_PAGE, len(ranked[sort]) - 1):
                assert reply in ids_of(Page.of(web.get(f"{target}?sort={sort}&post={reply}")))
    # the links between pages keep the order, and those to a post need none
    following = Page.of(web.get(f"{target}?sort=score")).all("nav", "pages")[0].one("a").attributes["href"]
    assert following == f"{target}?sort=score&page=2"
    choices = Page.of(web.get(f"{target}?sort=score")).one("p", "choice").all("a")
    assert [(one.text, one.attributes.get("aria-current")) for one in choices] == [
        ("Oldest first", None), ("Newest first", None), ("Best first", "true")]  # fmt: skip
    assert web.get(f"{target}?sort=worst").status == 400


def test_links_to_a_post_lead_to_its_page_and_to_the_first_if_there_is_none(
    ranked: dict[str, list[int]], web: Web
) -> None:
    target, first, answered, answer = (f"/t/{ranked['thread'][0]}", *(ranked["old"][place] for place in (0, 5, -1)))
    page = Page.of(web.get(f"{target}?post={answer}"))
    assert post(page, answer).one("a", "place").attributes["href"] == f"{target}?post={answer}#post-{answer}"
    # the post that it answers is on another page
    (answers,) = [span for span in post(page, answer).all("span") if span.text.startswith("answers")]
    assert answers.one("a").attributes["href"] == f"{target}?post={answered}#post-{answered}"
    assert [a.attributes["href"] for a in page.all("nav", "pages")[0].all("a")] == [target]
    for other in (ranked["thread"][0], 9007199254740991):
        assert post(Page.of(web.get(f"{target}?post={other}")), first)

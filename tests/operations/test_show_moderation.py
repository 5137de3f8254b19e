"""show_moderation: GET /moderation (interface 16.10)."""

from services.api.pages.sizes import ACTIONS_PER_PAGE
from services.board.moderation import hiding
from tests.boards import EmptyBoard
from tests.operations.hand import WHO, Operator
from tests.pages.page import Element, Page
from tests.web import Agent, Web


def rows_of(page: Element) -> list[list[str]]:
    """Return the cells of each action on a page, without its time."""
    return [[cell.text for cell in row.all("td")[:3]] for row in page.one("tbody").all("tr")]


def test_it_shows_what_was_done_to_whom_and_why(alice: Agent, operator: Operator, web: Web) -> None:
    thread = alice.thread()
    operator.act(lambda db: hiding.hide(db, thread["id"], "A private address.", WHO, category="secret"))
    operator.suspend(alice.name)
    answer = web.get("/moderation")
    page = Page.of(answer)
    face = alice.name[0].upper()
    assert rows_of(page)[:2] == [
        [f"{face}{alice.name}", "suspended", "other"], [f"Post {thread['id']}", "hidden", "secret"]
    ]  # fmt: skip
    assert page.one("tbody").all("a")[0].attributes["href"] == f"/a/{alice.name}"
    assert b"private address" not in answer.content


def test_an_empty_board_has_no_action(empty_web: Web) -> None:
    page = Page.of(empty_web.get("/moderation"))
    assert page.one("p", "empty").text == "The operators have not hidden a post or suspended an agent yet."


def test_earlier_actions_follow_without_gap(empty_board: EmptyBoard, empty_web: Web) -> None:
    thread = empty_web.register("alice").thread()
    for _ in range(ACTIONS_PER_PAGE // 2 + 1):
        empty_board.operator.hide(thread)
        empty_board.operator.unhide(thread)
    first = Page.of(empty_web.get("/moderation"))
    assert len(rows_of(first)) == ACTIONS_PER_PAGE
    (earlier,) = [link.attributes["href"] for link in first.one("nav", "pages").all("a")]
    assert earlier == "/moderation?before=3"
    last = Page.of(empty_web.get(earlier))
    assert [row[1] for row in rows_of(last)] == ["shown again", "hidden"]
    # it should lead back to the newest, and no further
    assert [link.attributes["href"] for link in last.one("nav", "pages").all("a")] == ["/moderation"]

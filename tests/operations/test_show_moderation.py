"""show_moderation: GET /moderation (interface 16.10)."""

from services.board.moderation import batches, hiding, suspensions
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


def test_the_actions_of_one_command_are_one_row(empty_board: EmptyBoard, empty_web: Web) -> None:
    operator, alice = empty_board.operator, empty_web.register("alice")
    threads = [alice.thread() for _ in range(3)]
    operator.hide(threads[0])

    def hide(thread: int) -> None:
        operator.act(lambda db: hiding.hide(db, thread, "Spam.", WHO, "b7", category="spam"))

    def unhide(thread: int) -> None:
        operator.act(lambda db: hiding.unhide(db, thread, WHO, "b8"))

    for thread in threads[1:]:
        hide(thread["id"])
    operator.act(lambda db: suspensions.suspend(db, alice.name, "Spam.", WHO, batch="b7", category="spam"))
    page = Page.of(empty_web.get("/moderation"))
    ((what, was, category), single) = rows_of(page)
    first, second = threads[1:]
    face = alice.name[0].upper()
    assert what == f"1 agent, 2 posts {face}{alice.name} suspended Post {second['id']} hidden Post {first['id']} hidden"
    assert (was, category) == ("suspended, hidden", "spam")
    assert single == [f"Post {threads[0]['id']}", "hidden", "other"]
    # its undoing is one row, too, although each thread is shown when its replies are counted
    for thread in threads[1:]:
        unhide(thread["id"])
    assert [row[1] for row in rows_of(Page.of(empty_web.get("/moderation")))] == [
        "shown again", "suspended, hidden", "hidden"
    ]  # fmt: skip


def test_a_page_has_whole_batches_until_it_is_full() -> None:
    rows = [
        {"id": number, "action": "hide", "post_id": number, "agent": None, "category": "spam", "time": 0.0,
         "batch": "b1" if number % 2 else None}
        for number in range(12, 0, -1)
    ]  # fmt: skip
    found, last = batches.grouped(rows, 3)
    assert [[action.id for action in one.actions] for one in found] == [[12], [11, 9], [10]]
    assert last == 9
    assert batches.grouped(rows, 50)[1] == 1
    assert batches.grouped([], 50) == ([], 1)

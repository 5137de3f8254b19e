"""read_sitemap: GET /sitemap.xml (interface 13.5): an index of parts, each with a range of the log."""

from datetime import datetime

from services.board.links import Links
from services.board.overview import sitemap
from tests.boards import EmptyBoard
from tests.operations.hand import Operator
from tests.operations.xml_documents import parse
from tests.web import Agent, Web

SITEMAP = "/sitemap.xml"
PAGES = ["/", "/agents", "/c", "/requests", "/about", "/docs"]


def places(web: Web, query: str = "") -> dict[str, float | None]:
    """Return the paths that a document names, in their order, and when each last changed."""
    answer = web.get(SITEMAP + query)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/xml")
    found = {}
    for item in parse(answer.content, "sitemap"):
        changed = item.findtext("{*}lastmod")
        assert item.findtext("{*}loc").startswith(f"{web.url}/")
        found[item.findtext("{*}loc").removeprefix(web.url)] = changed and datetime.fromisoformat(changed).timestamp()
    return found


def part_of(post: dict[str, int]) -> str:
    return f"?part={-(-post['id'] // sitemap.PART_IDS)}"


def test_an_empty_board_has_a_part_with_the_other_pages(empty_web: Web) -> None:
    assert list(places(empty_web)) == [f"{SITEMAP}?part=1"]
    assert list(places(empty_web, "?part=1")) == PAGES


def test_a_part_has_its_visible_threads_with_their_last_activity(
    alice: Agent, bob: Agent, web: Web, operator: Operator
) -> None:
    thread, hidden = alice.thread(), alice.thread()
    reply = bob.reply(thread)
    found = places(web, part_of(thread))
    assert found[f"/t/{thread['id']}"] == reply["created"]
    assert f"/t/{hidden['id']}" in found
    assert f"/t/{reply['id']}" not in found
    # it should follow each change
    operator.hide(hidden)
    assert f"/t/{hidden['id']}" not in places(web, part_of(hidden))
    operator.unhide(hidden)
    later = bob.reply(hidden)
    assert places(web, part_of(hidden))[f"/t/{hidden['id']}"] == later["created"]


def test_the_parts_divide_the_log(empty_board: EmptyBoard, empty_web: Web) -> None:
    author = empty_web.register("alice")
    first = author.thread()
    empty_board.operator.rewrite("UPDATE log_head SET last_id = $1 WHERE true", sitemap.PART_IDS - 1)
    last, beyond = author.thread(), author.thread()
    assert (last["id"], beyond["id"]) == (sitemap.PART_IDS, sitemap.PART_IDS + 1)
    assert list(places(empty_web)) == [f"{SITEMAP}?part=1", f"{SITEMAP}?part=2"]
    assert list(places(empty_web, "?part=1")) == [*PAGES, f"/t/{first['id']}", f"/t/{last['id']}"]
    assert list(places(empty_web, "?part=2")) == [f"/t/{beyond['id']}"]
    # it must name something
    empty_board.operator.hide(beyond)
    assert list(places(empty_web, "?part=2")) == ["/"]


def test_a_part_appears_with_its_first_post(empty_board: EmptyBoard, empty_web: Web) -> None:
    author = empty_web.register("alice")
    empty_board.operator.rewrite("UPDATE log_head SET last_id = $1 WHERE true", sitemap.PART_IDS)
    assert list(places(empty_web, "?part=2")) == ["/"]
    thread = author.thread()
    assert list(places(empty_web, "?part=2")) == [f"/t/{thread['id']}"]


def test_an_index_names_no_more_parts_than_it_may() -> None:
    root = parse(sitemap.index(50_002, Links("https://board.example")), "sitemap")
    assert len(root) == 50_000
    assert [root[number].findtext("{*}loc") for number in (0, -1)] == [
        "https://board.example/sitemap.xml?part=3", "https://board.example/sitemap.xml?part=50002",
    ]  # fmt: skip

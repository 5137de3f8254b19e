"""show_board: GET / (interface 16.2)."""

from tests.cases import for_each
from tests.pages.page import Page
from tests.web import Agent, Web

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
PAGE, TEXT = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
FOR_PEOPLE = (
    BROWSER, "TEXT/HTML;level=1", "*/*, text/html", "text/html;q=0.5, text/markdown;q=0.4, */*;q=0.1",
    "text/html;q=2, text/markdown",
)  # fmt: skip
# the last two have parameters with the names of parameters of Sanic's own function
FOR_PROGRAMS = (
    "", "*/*", "text/markdown, text/html", "text/html;q=0.3, */*", "text/html;q=0", "text/htmlx", "text/html;subtype=x",
    "text/html, a/b;self=x",
)  # fmt: skip


@for_each("accept", [*FOR_PEOPLE, *FOR_PROGRAMS])
def test_only_a_client_that_puts_html_first_gets_the_page(web: Web, accept: str) -> None:
    answer = web.get("/", headers={"Accept": accept})
    assert (answer.status, answer.headers["Content-Type"]) == (200, PAGE if accept in FOR_PEOPLE else TEXT)


def test_a_browser_gets_the_page_and_everything_else_the_welcome(web: Web) -> None:
    welcome = web.get("/welcome.md").content
    for accept, media_type in ((BROWSER, PAGE), ("*/*", TEXT), ("text/markdown, text/html", TEXT), (BROWSER, PAGE)):
        answer = web.get("/", headers={"Accept": accept})
        assert (answer.status, answer.headers["Content-Type"], answer.effect) == (200, media_type, "none")
        assert (answer.content == welcome) == (media_type == TEXT)
        assert answer.headers["Vary"] == "Authorization, Accept-Encoding, Accept"
        # the tag of one must not be taken for that of the other
        unchanged = web.get("/", headers={"Accept": accept, "If-None-Match": answer.headers["ETag"]})
        other = web.get("/", headers={"Accept": "*/*" if accept == BROWSER else BROWSER,
                                      "If-None-Match": answer.headers["ETag"]})  # fmt: skip
        assert (unchanged.status, other.status) == (304, 200)


def test_it_shows_what_is_lively_and_what_is_new_on_pages(empty_web: Web) -> None:
    writers: list[Agent] = [empty_web.register("alice") for _ in range(3)]
    ids = [writer.thread(f"Number {number}")["id"] for number in range(9) for writer in writers]
    writers[1].reply({"id": ids[0]})
    first, second = Page.of(empty_web.get("/")), Page.of(empty_web.get("/?page=2"))
    assert first.all("nav", "pages")[0].one("a").attributes["href"] == "/?page=2"
    lively, newest = first.all("ol", "threads")
    assert lively.all("h3")[0].one("a").attributes["href"] == f"/t/{ids[0]}"
    assert [title.one("a").attributes["href"] for title in newest.all("h3")] == [f"/t/{one}" for one in ids[:1:-1]]
    links = [a.attributes["href"] for a in second.one("ol", "threads").all("a")]
    assert [link for link in links if link.startswith("/t/")] == [f"/t/{ids[1]}", f"/t/{ids[0]}"]
    assert second.one("nav", "pages").one("a").attributes["href"] == "/"
    assert empty_web.get("/?page=0").codes == [("page", "out_of_range")]

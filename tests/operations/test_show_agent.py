"""show_agent: GET /a/{name} (interface 16.2)."""

from services.api.pages.sizes import POSTS_PER_PAGE
from tests.operations.hand import Operator
from tests.pages.page import Page
from tests.web import Agent, Web


def test_it_shows_the_profile_as_text(web: Web) -> None:
    agent = web.register(
        "alice", bio="I <b>know</b>\nSQL", capabilities=["sql", "<i>"], website="https://example.com/?a=1&b=2"
    )
    page = Page.of(web.get(f"/a/{agent.name}"))
    assert page.one("title").text == f"{agent.name} · agent-board"
    assert page.one("h1").text == agent.name
    assert page.one("p", "bio").text == "I <b>know</b> SQL"
    assert [a.text for a in page.one("ul", "tags").all("a")] == ["sql", "<i>"]
    (website,) = [a for a in page.all("a") if a.attributes["href"].startswith("https:")]
    assert website.attributes["href"] == website.text == "https://example.com/?a=1&b=2"
    assert website.attributes["rel"] == "nofollow ugc noopener noreferrer"


def test_everything_that_it_wrote_is_on_its_pages(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    other = bob.thread("His")
    posts = []
    for number in range(2 * POSTS_PER_PAGE + 1):
        if number % 10 == 0:
            operator.forget_post_times()
        posts.append(alice.reply(other, f"text {number}") if number % 2 else alice.thread(body=f"text {number}"))
    target = f"/a/{alice.name}"
    found: list[str] = []
    sizes: list[int] = []
    while target and len(sizes) < 4:
        page = Page.of(web.get(target))
        shown = [excerpt.text for excerpt in page.all("p", "excerpt")]
        assert (page.one("h1").text, len(page.all("dl", "numbers"))) == (
            (f"Earlier posts of {alice.name}", 0) if found else (alice.name, 1)
        )
        found += shown
        sizes.append(len(shown))
        (target,) = [a.attributes["href"] for a in page.all("a") if a.attributes.get("rel") == "next"] or [""]
    assert found == [post["body"] for post in reversed(posts)]
    assert sizes == [POSTS_PER_PAGE, POSTS_PER_PAGE, 1]
    # the way back leads to the newest ones, and a place before all posts shows none
    assert page.one("nav", "pages").one("a").attributes["href"] == f"/a/{alice.name}"
    assert Page.of(web.get(f"/a/{alice.name}?before=0")).one("p", "empty").text == "There are no earlier posts."

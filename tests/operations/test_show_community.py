"""show_community: GET /c/{slug} (interface 16.2)."""

import secrets

from services.api.pages.sizes import THREADS_PER_PAGE
from tests.pages.page import Page
from tests.web import Web


def test_it_has_pages(web: Web) -> None:
    slug = f"place-{secrets.token_hex(5)}"
    writers = [web.register("alice") for _ in range(3)]
    for number in range(THREADS_PER_PAGE + 1):
        writers[number // 9].thread(f"Number {number}", community=slug)
    (following,) = Page.of(web.get(f"/c/{slug}?sort=active")).one("nav", "pages").all("a")
    assert following.attributes["href"] == f"/c/{slug}?sort=active&page=2"
    page = Page.of(web.get(following.attributes["href"]))
    assert [title.text for title in page.one("ol", "threads").all("h2")] == ["Number 0"]

"""show_community: GET /c/{slug} (interface 16.2)."""

import secrets

import pytest

from services.api.pages.sizes import THREADS_PER_PAGE
from tests.operations.hand import Operator
from tests.pages.page import Element, Page
from tests.web import Web


def titles(page: Element) -> list[str]:
    return [title.text for title in page.one("ol", "threads").all("h2")]


@pytest.fixture
def slug() -> str:
    return f"place-{secrets.token_hex(5)}"


def test_a_new_description_is_shown_at_once(web: Web, operator: Operator) -> None:
    for words in (secrets.token_hex(5), secrets.token_hex(5)):
        operator.describe("meta", f"{words} <b>")
        assert Page.of(web.get("/c/meta")).one("p", "lead").text == f"{words} <b>"


def test_it_has_pages(web: Web, slug: str) -> None:
    writers = [web.register("alice") for _ in range(3)]
    for number in range(THREADS_PER_PAGE + 1):
        writers[number // 9].thread(f"Number {number}", community=slug)
    page = Page.of(web.get(f"/c/{slug}?sort=active"))
    (following,) = page.one("nav", "pages").all("a")
    assert following.attributes["href"] == f"/c/{slug}?sort=active&page=2"
    assert titles(Page.of(web.get(following.attributes["href"]))) == ["Number 0"]

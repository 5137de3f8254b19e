"""show_agents: GET /agents (interface 16.2)."""

import secrets

from tests.pages.page import Element, Page
from tests.web import Web


def names(page: Element) -> list[str]:
    return [a.attributes["href"] for a in page.one("ul", "agents").all("a", "agent")]


def test_the_directory_is_filtered_by_words_and_by_capability(web: Web) -> None:
    tag = secrets.token_hex(5)
    alice = web.register("alice", bio=f"knows {tag}", capabilities=[f"{tag} & more"])
    bob = web.register("bob", capabilities=[f"{tag} & more"])
    assert names(Page.of(web.get(f"/agents?q={tag}&sort=name"))) == [f"/a/{alice.name}", f"/a/{bob.name}"]
    page = Page.of(web.get(f"/agents?capability={tag}+%26+more&sort=new"))
    assert names(page) == [f"/a/{bob.name}", f"/a/{alice.name}"]
    # the filter stays in the form, in the orders and in the tags of every agent
    values = [one.attributes.get("value") for one in page.one("form", "filter").all("input")]
    assert values == ["", f"{tag} & more"]
    chosen = [a for a in page.one("p", "choice").all("a") if "aria-current" in a.attributes]
    assert [a.attributes["href"] for a in chosen] == [f"/agents?capability={tag}+%26+more&sort=new"]
    assert page.one("ul", "agents").all("ul", "tags")[0].one("a").attributes["href"] == (
        f"/agents?capability={tag}+%26+more"
    )

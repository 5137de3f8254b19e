"""Posts that attack their page: they are shown within a bound, and execute nothing."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from services.api.pages.markdown import render
from services.contract.bounds import BODY_MAX
from services.contract.unseen import VISIBLE
from tests.operations.hand import Operator
from tests.pages.browser import SCHEMES, WIDTHS, driven, visit
from tests.pages.gallery import BODIES, MARK, SCRIPTS, TITLES, ZALGO
from tests.pages.hostile import COSTLY
from tests.pages.markup import parse
from tests.pages.test_in_a_browser import OVERFLOWING
from tests.processes import ApiProcess
from tests.web import Agent, Web

# The most elements of a page of 16,000 characters in a browser. The costliest text needs 21,000.
ELEMENTS_MAX = 30_000
HEIGHT_MAX = 400_000


@pytest.mark.parametrize("text", ["> " * 30 + "seen", "* " * 30 + "seen", "> - " * 3000 + "seen", "1. " * 300 + "seen"])
def test_no_nesting_hides_a_text_from_people(text: str) -> None:
    assert "seen" in render(text, 1)


def test_a_table_does_not_hide_what_follows_it() -> None:
    wide = "|a" * 100 + "|\n" + "|-" * 100 + "|\n" + "|b|\n" * 100 + "\nseen"
    assert "seen" in render(wide, 1)


@pytest.fixture(scope="module")
def mallory(module_api: ApiProcess, module_operator: Operator) -> Iterator[Agent]:
    """An agent whose profile attacks its page, too. It may post as often as it likes."""
    with Web(module_api.url) as web:
        agent = web.register("mallory", bio="\n".join(SCRIPTS)[:1000], capabilities=[one[:40] for one in SCRIPTS[:12]])
        yield agent


@pytest.fixture
def gallery(mallory: Agent, module_operator: Operator) -> dict[str, str]:
    """The addresses of the gallery's pages, by name. Each has a reply with the same text."""
    pages: dict[str, str] = {}
    costly = {f"costly {number}": body for number, body in enumerate(COSTLY[::3]) if VISIBLE.search(body[:BODY_MAX])}
    for name, body in {**BODIES, **costly}.items():
        module_operator.forget_post_times()
        thread = mallory.thread(f"{name} {TITLES[len(pages) % len(TITLES)]}"[:240], body[:BODY_MAX])
        mallory.reply(thread, body[:BODY_MAX])
        pages[name] = f"{mallory.url}/t/{thread['id']}"
    for number, title in enumerate(TITLES):
        module_operator.forget_post_times()
        thread = mallory.thread(title, ZALGO, wanted_capabilities=[title[:40]])
        pages[f"title {number}"] = f"{mallory.url}/t/{thread['id']}"
    return pages | {
        "profile": f"{mallory.url}/a/{mallory.name}", "board": f"{mallory.url}/", "agents": f"{mallory.url}/agents",
        "requests": f"{mallory.url}/requests", "found": f"{mallory.url}/search?q=%22%3E%3Csvg%20onload%3Downed%3D1%3E",
        "a capability": f"{mallory.url}/agents?capability=%22%3E%3Csvg%20onload%3D%22owned%3D1%22%3E",
    }  # fmt: skip


@pytest.mark.slow
@driven
def test_the_gallery_is_shown_and_executes_nothing(browser: Browser, mallory: Agent, gallery: dict[str, str]) -> None:
    wrong: list[tuple[str, object]] = []
    with visit(browser, width=WIDTHS[0], scheme=SCHEMES[1]) as tab:
        for name, url in gallery.items():
            answer = tab.open(url)
            parse(answer.body())
            found = tab.page.evaluate(
                f"() => [document.querySelectorAll('*').length, document.body.scrollHeight, typeof window.{MARK}]"
            )
            if found[0] > ELEMENTS_MAX or found[1] > HEIGHT_MAX or found[2] != "undefined" or answer.status != 200:
                wrong.append((name, (found, answer.status)))
            wrong += [(name, box) for box in tab.page.evaluate(OVERFLOWING)]
            wrong += [(name, report) for report in tab.reports]
            wrong += [(name, one) for one in tab.requests if not one.startswith(mallory.url)]
            wrong += [(name, "left the page")] if tab.page.url != url else []
            tab.reports.clear()
            tab.requests.clear()
    assert wrong == []

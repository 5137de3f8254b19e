"""Every page in a real browser: at three widths, in both color schemes, with scripts and without."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.pages.browser import SCHEMES, WIDTHS, Scheme, Visit, driven, visit
from tests.pages.conftest import Board

MODES = list(product(SCHEMES, (True, False)))
over_modes = pytest.mark.parametrize(
    ("scheme", "scripts"), MODES, ids=[f"{scheme}-{'' if scripts else 'no-'}scripts" for scheme, scripts in MODES]
)
OVERFLOWING = """() => {
    const width = document.documentElement.clientWidth, found = []
    const scrolls = e => e && (getComputedStyle(e).overflowX != 'visible' || scrolls(e.parentElement))
    for (const e of document.body.querySelectorAll('*')) {
        const box = e.getBoundingClientRect()
        const beyond = box.width && box.right > width + 1 && box.left >= 0
        if (beyond && !scrolls(e.parentElement)) found.push(e.outerHTML.slice(0, 100))
    }
    const whole = document.documentElement.scrollWidth
    return whole > width ? [...found, `the page is ${whole} wide`] : found
}"""
# The targets of the keyboard: everything that can be clicked or typed into, and everything that scrolls.
FOCUSABLE = """[...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(e => e.checkVisibility())"""
REACHABLE = f"() => {FOCUSABLE}.length"
MISSED = f"() => {FOCUSABLE}.filter(e => !e.dataset.reached).map(e => e.outerHTML.slice(0, 120))"
FOCUSED = """() => {
    const e = document.activeElement, style = getComputedStyle(e)
    if (e === document.body) return null
    e.dataset.reached = 'yes'
    return {name: e.outerHTML.slice(0, 120), seen: style.outlineStyle != 'none' && parseFloat(style.outlineWidth) >= 2}
}"""


def each_page(browser: Browser, board: Board, **how: Any) -> Iterator[tuple[str, Visit]]:
    """Open one page of each kind after the other, in one tab."""
    with visit(browser, **how) as tab:
        for name, url in board.pages().items():
            tab.open(url)
            yield name, tab


@driven
def test_a_thread_is_read_in_a_browser(browser: Browser, board: Board) -> None:
    with visit(browser, width=WIDTHS[0]) as tab:
        answer = tab.open(board.pages()["thread"])
        assert answer.status == 200
        assert tab.page.title().startswith("Keyset pagination")
        assert tab.page.get_by_role("heading", level=1).inner_text().startswith("Keyset pagination")
        assert tab.page.locator("article pre code").first.inner_text().startswith("SELECT id")
        assert tab.page.evaluate(OVERFLOWING) == []
        assert tab.reports == []
        assert all(url.startswith(board.url) for url in tab.requests)
        assert accessibility(tab.page) == []


def accessibility(page: Page) -> list[str]:
    """Return the findings of axe-core: the rule and the elements that break it."""
    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {[node['html'][:100] for node in rule['nodes'][:3]]}" for rule in found]


@pytest.mark.slow
@over_modes
@driven
def test_every_page_fits_every_width_and_reports_nothing(
    browser: Browser, board: Board, scheme: Scheme, scripts: bool
) -> None:
    wrong: list[tuple[str, int, str]] = []
    for name, tab in each_page(browser, board, scheme=scheme, scripts=scripts):
        for width in WIDTHS:
            tab.page.set_viewport_size({"width": width, "height": 900})
            wrong += [(name, width, found) for found in tab.page.evaluate(OVERFLOWING)]
        # The browser itself reports the status of a page that was not found.
        wrong += [(name, 0, report) for report in tab.reports if "status of 404" not in report]
        tab.reports.clear()
        wrong += [(name, 0, url) for url in tab.requests if not url.startswith(board.url)]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@driven
def test_axe_finds_nothing_on_any_page(browser: Browser, board: Board, scheme: Scheme) -> None:
    wrong = []
    for name, tab in each_page(browser, board, scheme=scheme):
        for width in (WIDTHS[0], WIDTHS[-1]):
            tab.page.set_viewport_size({"width": width, "height": 900})
            wrong += [(name, width, found) for found in accessibility(tab.page)]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [WIDTHS[0], WIDTHS[-1]])
@driven
def test_the_keyboard_reaches_everything_and_shows_where_it_is(browser: Browser, board: Board, width: int) -> None:
    for name, tab in each_page(browser, board, width=width):
        assert tabbed_through(tab.page) == [], name


def tabbed_through(page: Page) -> list[str]:
    """Press Tab until all is reached; return what is not reached, or does not show that it has the focus."""
    count = page.evaluate(REACHABLE)
    wrong = []
    for _ in range(count):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        assert focused is not None, f"the focus left the page before all of its {count} elements"
        wrong += [] if focused["seen"] else [f"no visible focus: {focused['name']}"]
    return wrong + [f"not reached: {found}" for found in page.evaluate(MISSED)]

"""Chromium as the tests of pages drive it, and everything that a page makes it report."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Dialog, Page, sync_playwright

from tests.programs import needs

Scheme = Literal["light", "dark"]
WIDTHS = (360, 768, 1440)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
HEIGHT = 900
# As root, as in containers, Chromium needs the first; the second is for a small /dev/shm.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]
VIOLATIONS = "addEventListener('securitypolicyviolation', e => console.error('CSP', e.violatedDirective, e.blockedURI))"


@dataclass
class Driver:
    """A browser and the one thread that may drive it: Playwright keeps an event loop running there."""

    browser: Browser
    thread: ThreadPoolExecutor


@contextmanager
def in_its_thread() -> Iterator[Driver]:
    """Run the browser in a thread of its own."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="drives-chromium") as thread, ExitStack() as stack:
        yield Driver(thread.submit(stack.enter_context, chromium()).result(), thread)
        thread.submit(stack.close).result()


def driven(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in the thread of its fixture `browser`, whose driver it gets as a browser."""

    @wraps(test)
    def run(*, browser: Driver, **fixtures: Any) -> None:
        browser.thread.submit(test, browser=browser.browser, **fixtures).result()

    return run


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the distribution's Chromium; the test is skipped without it, and fails in a pipeline."""
    program = needs("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A tab, with what it has reported since it was opened: errors, violations of the policy, dialogs, and requests."""

    page: Page
    reports: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, url: str) -> Any:
        """Open a page and return its answer."""
        answer = self.page.goto(url, wait_until="load")
        assert answer is not None
        return answer


@contextmanager
def visit(browser: Browser, width: int = WIDTHS[-1], scheme: Scheme = "light", scripts: bool = True) -> Iterator[Visit]:
    """Open a tab of its own."""
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        color_scheme=scheme,
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )
    yield watched(context)
    context.close()


def watched(context: BrowserContext) -> Visit:
    context.add_init_script(VIOLATIONS)
    found = Visit(context.new_page())
    page, report = found.page, found.reports.append
    page.on("console", lambda said: report(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: report(str(error)))
    page.on("dialog", lambda dialog: refuse(dialog, found))
    page.on("popup", lambda other: report(f"popup {other.url}"))
    context.on("request", lambda request: found.requests.append(request.url))
    return found


def refuse(dialog: Dialog, found: Visit) -> None:
    found.reports.append(f"dialog {dialog.message}")
    dialog.dismiss()

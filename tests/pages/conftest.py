"""A browser, and a board with discussions that people would recognise."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.operations.hand import Operator
from tests.pages.seeding import seed
from tests.processes import ApiProcess
from tests.programs import needs
from tests.web import Web

if TYPE_CHECKING:
    from tests.pages.browser import Driver


@dataclass
class Board:
    """A board with its discussions."""

    url: str
    threads: dict[str, int]

    def pages(self) -> dict[str, str]:
        """Return the address of one page of each kind, by a name for reports."""
        thread = next(number for title, number in self.threads.items() if title.startswith("Keyset pagination"))
        paths = {
            "board": "/", "thread": f"/t/{thread}", "agent": "/a/Tern", "agents": "/agents", "communities": "/c",
            "community": "/c/help", "search": "/search?q=pagination", "nothing found": "/search?q=quokka",
            "requests": "/requests", "about": "/about",
            "reference": "/docs", "not found": "/t/999999",
        }  # fmt: skip
        return {name: self.url + path for name, path in paths.items()}


@pytest.fixture(scope="module")
def board(module_api: ApiProcess, module_operator: Operator) -> Iterator[Board]:
    """A board of this file, with discussions."""
    with Web(module_api.url) as web:
        threads = seed(web, module_operator)
        for change in (module_operator.suspend, module_operator.restore):
            change("lexi-translates")
        yield Board(module_api.url, threads)


@pytest.fixture(scope="session")
def browser() -> Iterator["Driver"]:
    """One browser for all tests of a worker. They drive it from its thread (`driven`)."""
    needs("chromium")
    # `make test` does not install Playwright
    from tests.pages.browser import in_its_thread

    with in_its_thread() as driver:
        yield driver

"""A browser, and a board with a discussion that people would recognise."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.programs import needs
from tests.web import Web

if TYPE_CHECKING:
    from tests.pages.browser import Driver

TITLE = "Keyset pagination skips rows when two imports share a timestamp"
QUESTION = """
I page through 40 million shipment events with

```sql
SELECT id, moved_at, payload FROM shipment_events WHERE moved_at > $1 ORDER BY moved_at LIMIT 1000;
```

With `>=` I get *duplicates* instead. 短い文なら、すぐにお手伝いできます。
"""
ANSWER = """
Your cursor is not unique. Make it a pair, as in the [manual](https://www.postgresql.org/docs/):

| Query | Rows read | Time |
|---|---:|---:|
| `(moved_at, id) > ($1, $2)` | 1,000 | 1.2 ms |

> Index Cond: (ROW(moved_at, id) > ROW($1, $2))
"""


@dataclass
class Board:
    """A board with its discussion: the id of the thread, and an agent who replied in it."""

    url: str
    thread: int
    agent: str

    def pages(self) -> dict[str, str]:
        """Return the address of one page of each kind, by a name for reports."""
        paths = {
            "board": "/", "thread": f"/t/{self.thread}", "agent": f"/a/{self.agent}", "agents": "/agents",
            "communities": "/c", "community": "/c/help", "search": "/search?q=pagination",
            "nothing found": "/search?q=quokka", "requests": "/requests", "about": "/about", "reference": "/docs",
            "not found": "/t/999999",
        }  # fmt: skip
        return {name: self.url + path for name, path in paths.items()}


@pytest.fixture(scope="module")
def board(module_api: ApiProcess, module_operator: Operator) -> Iterator[Board]:
    """A board of this file, with a discussion, an announcement and a request that waits for an answer."""
    with Web(module_api.url) as web:
        asking = web.register("marlow", bio="Runs nightly data imports.", website="https://marlow.example")
        tern = web.register("Tern", bio="Reviews query plans.", capabilities=["sql", "code-review"])
        module_operator.mark(tern.name)
        tern.thread("What this board is for", "The rules are in `/rules.md`.", community="announcements")
        thread = asking.thread(TITLE, QUESTION, community="help", wanted_capabilities=["postgresql", "sql"])
        answer = tern.reply(thread, ANSWER)
        asking.reply(thread, "Does the row comparison use the index?", reply_to=answer["id"])
        asking.vote(answer, 1)
        asking.thread("Humidity sensor reports 100%. Broken, or wet?", wanted_capabilities=["mqtt", "time-series"])
        yield Board(module_api.url, thread["id"], tern.name)


@pytest.fixture(scope="session")
def browser() -> Iterator["Driver"]:
    """One browser for all tests of a worker. They drive it from its thread (`driven`)."""
    needs("chromium")
    # `make test` does not install Playwright
    from tests.pages.browser import in_its_thread

    with in_its_thread() as driver:
        yield driver

"""Pictures of every page of the seeded board: `make pictures` writes them to .local/pictures."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser

from services.board.database.migrations import migrate
from services.local.postgresql import PostgreSQL
from tests.operations.hand import Operator
from tests.pages.browser import SCHEMES, WIDTHS, Scheme, chromium, visit
from tests.pages.conftest import Board
from tests.pages.seeding import date_back, seed
from tests.processes import CHECKOUT, ApiProcess
from tests.programs import find
from tests.web import Web

FOLDER = CHECKOUT / ".local" / "pictures"
ADDRESS = "https://board.example"


@contextmanager
def seeded_board(folder: Path) -> Iterator[Board]:
    """Start a board with discussions of the last weeks, which names ADDRESS as its own."""
    with PostgreSQL(folder / "postgresql", throwaway=True) as server:
        asyncio.run(migrate(server.url(), lambda _: None, server.reading_url()))
        with (
            ApiProcess(server.url(), folder, BASE_URL=ADDRESS) as api,
            Operator(server.url()) as operator,
            Web(api.url) as web,
        ):
            seeded = seed(web, operator)
            date_back(seeded, operator)
            yield Board(api.url, seeded)


def take(browser: Browser, board: Board, width: int, scheme: Scheme) -> None:
    with visit(browser, width=width, scheme=scheme) as tab:
        for name, url in board.pages().items():
            tab.open(url)
            tab.page.screenshot(path=FOLDER / f"{name.replace(' ', '-')}-{width}-{scheme}.png")


def take_all() -> None:
    with TemporaryDirectory() as folder, seeded_board(Path(folder)) as board, chromium() as browser:
        for width in WIDTHS:
            for scheme in SCHEMES:
                take(browser, board, width, scheme)


def main() -> None:
    if find("chromium") is None:
        sys.exit("Chromium is missing: install Debian's package chromium, or give its path in the variable CHROMIUM.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    print("Taking pictures of every page for people, in every width and colour scheme.", flush=True)
    take_all()
    print(f"The pictures are in {FOLDER.relative_to(CHECKOUT)}.")


if __name__ == "__main__":
    main()

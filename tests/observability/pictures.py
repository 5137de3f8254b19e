"""Pictures of the dashboards, for `make pictures`.

GRAFANA_URL is the address of a Grafana that shows them, with a user and a password: http://admin:...@localhost:3000.
Without it, their queries are plotted: from the last three hours of the Prometheus at PROMETHEUS_URL, or from a board
that runs under load for some minutes.
"""

import asyncio
import base64
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Page, ViewportSize

from deploy.observability.dashboards import DASHBOARDS
from services.board.database.migrations import migrate
from services.local.postgresql import PostgreSQL
from tests.observability.plots import Source
from tests.observability.stage import Stage
from tests.pages.browser import chromium
from tests.programs import find

SIZE: ViewportSize = {"width": 1440, "height": 900}
SHOWN_SECONDS = 3 * 3600.0
# An objective is judged by a window of five minutes when that is half full.
LOAD_SECONDS = 180.0
# Grafana draws when its queries have been answered.
DRAWING_MILLISECONDS = 60_000


def of_a_running_board() -> bool:
    """Return whether the environment names a Grafana or a Prometheus."""
    return bool(os.environ.get("GRAFANA_URL") or os.environ.get("PROMETHEUS_URL"))


def take(folder: Path) -> None:
    """Take a picture of each dashboard from what the environment names, else of a board of its own."""
    if grafana := os.environ.get("GRAFANA_URL"):
        photograph(grafana, folder)
    elif prometheus := os.environ.get("PROMETHEUS_URL"):
        draw(pages(Source(prometheus.rstrip("/"), time.time() - SHOWN_SECONDS, time.time())), folder)
    elif find("prometheus") is None:
        print("The dashboards are left out: Debian's package prometheus is missing.")
    else:
        print(f"Running a board under load for {LOAD_SECONDS / 60:.0f} minutes, for the dashboards.", flush=True)
        with TemporaryDirectory() as own, watched_board(Path(own)) as source:
            found = pages(source)
        draw(found, folder)


def photograph(address: str, folder: Path) -> None:
    """Take a picture of each dashboard in a Grafana."""
    parts = urlsplit(address)
    user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    credentials = {"Authorization": f"Basic {base64.b64encode(user.encode()).decode()}"}
    root = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
    with tab(extra_http_headers=credentials) as page:
        for dashboard in DASHBOARDS:
            page.goto(f"{root}/d/{dashboard.uid}?kiosk", wait_until="networkidle", timeout=DRAWING_MILLISECONDS)
            page.screenshot(path=folder / f"{dashboard.uid}.png", full_page=True)


def pages(source: Source) -> dict[str, str]:
    """Return each dashboard as a page with plots, by its uid."""
    return {dashboard.uid: source.page(dashboard) for dashboard in DASHBOARDS}


def draw(pages: dict[str, str], folder: Path) -> None:
    """Take a picture of each page."""
    with tab() as page:
        for uid, content in pages.items():
            page.set_content(content)
            page.screenshot(path=folder / f"{uid}.png", full_page=True)


@contextmanager
def tab(**options: Any) -> Iterator[Page]:
    """Open a tab of a browser of its own."""
    with chromium() as browser:
        yield browser.new_context(viewport=SIZE, **options).new_page()


@contextmanager
def watched_board(folder: Path) -> Iterator[Source]:
    """Run a board under load with its monitoring for some minutes; yield that period."""
    with PostgreSQL(folder / "postgresql", throwaway=True) as server:
        asyncio.run(migrate(server.url(), lambda _: None, server.reading_url()))
        with Stage(server.url(), folder) as stage:
            began = time.time()
            time.sleep(LOAD_SECONDS)
            yield Source(stage.prometheus.url, began, time.time())

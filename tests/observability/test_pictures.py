"""`make pictures` of the dashboards: in a browser from a Grafana, or as plots of what a Prometheus answers."""

import base64
import re
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from deploy.observability.dashboards import DASHBOARDS, LOAD_TEST, OVERVIEW
from services.local.ports import free_port
from tests.listener import listener
from tests.observability import pictures
from tests.observability.plots import Source, named, shown
from tests.observability.stage import Stage
from tests.pages import pictures as pages_and_dashboards
from tests.processes import CHECKOUT
from tests.programs import needs

LOGGED_IN = f"Basic {base64.b64encode(b'admin:secret').decode()}"
UIDS = [dashboard.uid for dashboard in DASHBOARDS]
README = CHECKOUT / "deploy/observability/README.md"


def test_the_readme_shows_every_dashboard_that_has_values_without_a_load_test() -> None:
    linked = set(re.findall(r"\]\((pictures/\S+\.png)\)", README.read_text()))
    assert linked == {f"pictures/{uid}.png" for uid in UIDS if uid != LOAD_TEST.uid}
    assert {str(path.relative_to(README.parent)) for path in README.parent.glob("pictures/*")} == linked


class Dashboards(BaseHTTPRequestHandler):
    """Answers like a Grafana to whom the credentials must be sent unasked; records the paths."""

    asked: list[str]

    def do_GET(self) -> None:
        known = self.headers["Authorization"] == LOGGED_IN
        self.asked.append(self.path if known else "unknown user")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><h1>A dashboard</h1>")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def grafana() -> Iterator[tuple[str, list[str]]]:
    """An address without its scheme, and the paths for which it was asked."""
    asked: list[str] = []
    handler = type("Handler", (Dashboards,), {"asked": asked})
    with listener(handler) as address:
        yield address, asked


def taken(folder: Path) -> None:
    """Take the pictures in a thread of its own, where Playwright keeps its event loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(pictures.take, folder).result()


def width(picture: Path) -> int:
    """Return the width that a PNG declares."""
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    return int(struct.unpack(">I", content[16:20])[0])


@pytest.mark.slow
def test_each_dashboard_of_a_grafana_is_opened_and_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("chromium")
    with grafana() as (address, asked):
        monkeypatch.setenv("GRAFANA_URL", f"http://admin:secret@{address}/monitoring/")
        taken(tmp_path)
    assert [path for path in asked if "favicon" not in path] == [f"/monitoring/d/{uid}?kiosk" for uid in UIDS]
    assert {path.stem: width(path) for path in tmp_path.iterdir()} == dict.fromkeys(UIDS, pictures.SIZE["width"])


@pytest.mark.slow
def test_each_dashboard_is_plotted_from_a_running_prometheus(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("chromium")
    deadline = time.monotonic() + 180
    while not stage.values('rate(agent_board_requests_total{job="api"}[20s]) > 0'):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    monkeypatch.delenv("GRAFANA_URL", raising=False)
    monkeypatch.setenv("PROMETHEUS_URL", stage.prometheus.url)
    taken(tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == set(UIDS)
    page = Source(stage.prometheus.url, time.time() - 60, time.time()).page(OVERVIEW)
    plotted = {title for panel in OVERVIEW.panels if "<polyline" in of(page, title := panel.title)}
    assert {"Requests", "Latency", "Memory", "Event loop lag"} <= plotted
    assert "200</b>" in of(page, "Requests")
    # only a count, and no line
    assert "api</b> 1</p>" in of(page, "Processes up")
    assert "Processes up" not in plotted


def test_a_prometheus_that_does_not_answer_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_URL", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setattr(pages_and_dashboards, "FOLDER", tmp_path)
    monkeypatch.setattr(pages_and_dashboards, "find", lambda _: "chromium")
    monkeypatch.delenv("GRAFANA_URL", raising=False)
    with pytest.raises(SystemExit, match=r"^The dashboards cannot be drawn: .*Connection refused"):
        pages_and_dashboards.main()


def of(page: str, title: str) -> str:
    """Return the part of a page that shows a panel."""
    return page.partition(f"<h2>{title}</h2>")[2].partition("</section>")[0]


def test_legends_and_values_read_as_in_grafana() -> None:
    assert named("{{job}} {{instance}}", {"job": "api", "instance": "api-1"}) == "api api-1"
    assert named("page", {}) == "page"
    assert [shown(0.25, "percentunit"), shown(0.25, "s"), shown(2**20, "bytes"), shown(3, "short")] == [
        "25 %", "0.25 s", "1 MiB", "3",
    ]  # fmt: skip

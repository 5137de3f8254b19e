"""A page that a person must see is delivered once, although the fault was over before its group had waited."""

import json
import re
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import yaml

from services.local.ports import free_port
from tests.listener import listener
from tests.observability.alerting import alertmanager
from tests.observability.expressions import alerts
from tests.observability.programs import Program, needed
from tests.observability.stage import PROMETHEUS
from tests.waiting import wait_until

# A minute of the rules is two seconds here, and the half minute for which a group waits is one (alerting.py).
FASTER = 30
UNFINISHED = 'agent_board_unfinished_batch_seconds{{batch="post"}} {}\n'


class Page(BaseHTTPRequestHandler):
    """An API process with an unfinished batch, and the webhook that counts calls about it by their status."""

    seconds = 10
    called: ClassVar[Counter[str]] = Counter()

    def do_GET(self) -> None:
        self.answer(UNFINISHED.format(Page.seconds).encode())

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Page.called.update(f"{alert['labels']['alertname']} {alert['status']}" for alert in said["alerts"])
        self.answer(b"")

    def answer(self, page: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def monitored(folder: Path, address: str) -> Iterator[Program]:
    """A Prometheus with the rules of the API in short time, which asks this address and sends its alerts on."""
    rules = (PROMETHEUS / "rules" / "api.yaml").read_text()
    (folder / "rules.yaml").write_text(
        re.sub(r"(for: |_for: )(\d+)m\b", lambda found: f"{found[1]}{int(found[2]) * 60 // FASTER}s", rules)
    )
    with alertmanager(folder, f"http://{address}/") as server:
        configuration = {
            "global": {"scrape_interval": "200ms", "scrape_timeout": "200ms", "evaluation_interval": "200ms"},
            "rule_files": [str(folder / "rules.yaml")],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": [server.address]}]}]},
            "scrape_configs": [{"job_name": "api", "static_configs": [{"targets": [address]}]}],
        }
        (folder / "prometheus.yaml").write_text(yaml.safe_dump(configuration))
        port = free_port()
        places = [f"--config.file={folder / 'prometheus.yaml'}", f"--storage.tsdb.path={folder / 'prometheus'}"]
        command = [needed("prometheus"), f"--web.listen-address=127.0.0.1:{port}", *places]
        with Program(command, port, folder / "prometheus.log", "/-/ready") as prometheus:
            yield prometheus


def fires(prometheus: Program) -> bool:
    with urllib.request.urlopen(f"{prometheus.url}/api/v1/alerts", timeout=10) as answer:
        return any(alert["state"] == "firing" for alert in json.load(answer)["data"]["alerts"])


def test_a_fault_that_ends_as_soon_as_its_alert_fires_is_paged_once(tmp_path: Path) -> None:
    needed("prometheus-alertmanager")
    with listener(Page) as address, monitored(tmp_path, address) as prometheus:
        wait_until(lambda: fires(prometheus))
        Page.seconds = 0
        wait_until(lambda: not fires(prometheus))
        wait_until(lambda: Page.called["BatchUnfinished resolved"] == 1)
    assert Page.called == {"BatchUnfinished firing": 1, "BatchUnfinished resolved": 1}


def test_every_page_outlasts_the_waits_of_its_group() -> None:
    pages = {name: rule for name, rule in alerts().items() if rule["labels"]["severity"] == "page"}
    # longer than a group waits at first, and between two messages
    assert {name for name, rule in pages.items() if rule.get("keep_firing_for") != "2m"} == set()

"""A whole board that Prometheus monitors, with a load balancer and exporters where they are installed.

Prometheus runs the committed configuration, except for the addresses of its targets and its intervals.
"""

import json
import urllib.error
import urllib.parse
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import yaml

from services.board.access.rates import set_rate
from services.contract.limits import Rate
from services.local.ports import free_port
from services.local.valkey import Valkey
from tests.limiter.processes import LimiterProcess
from tests.observability.alerting import alertmanager
from tests.observability.callers import Callers
from tests.observability.programs import (
    Program,
    blackbox_exporter,
    haproxy,
    needed,
    node_exporter,
    postgres_exporter,
    valkey_exporter,
)  # fmt: skip
from tests.operations.hand import KEY, Operator
from tests.processes import CHECKOUT, ApiProcess, FanoutProcess
from tests.programs import find

PROMETHEUS = CHECKOUT / "deploy/observability/prometheus"
SCRAPE = "2s"
LIMITS = {"LIMIT_REGISTRATIONS": "10000/60"}


class Stage:
    """The board and its monitoring. `targets` are the addresses of the monitored jobs, by name."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self.database_url = database_url
        self.folder = folder
        self.stack = ExitStack()
        self.targets: dict[str, str] = {}

    def __enter__(self) -> Self:
        needed("prometheus")
        with ExitStack() as stack:
            self.start_board(stack)
            urls = [self.api.url]
            if find("haproxy"):
                urls.append(self.start_balancer(stack))
            self.start_exporters(stack)
            self.prometheus = self.start_prometheus(stack)
            self.callers = stack.enter_context(Callers(*urls))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def start_board(self, stack: ExitStack) -> None:
        self.valkey = stack.enter_context(Valkey(self.folder / "valkey"))
        self.limiter = stack.enter_context(LimiterProcess(self.valkey.url(), self.folder / "limiter", **LIMITS))
        self.fanout = stack.enter_context(FanoutProcess(self.database_url, self.folder / "fanout", LOG_KEY=KEY))
        settings = {"LIMITER_URL": self.limiter.url, **LIMITS}
        self.api = stack.enter_context(ApiProcess(self.database_url, self.folder / "api", **settings))
        with Operator(self.database_url) as operator:
            operator.act(lambda db: set_rate(db, "failed_logins", Rate(10_000, 60), "tests"))
        self.processes = {"api": self.api, "limiter": self.limiter, "fanout": self.fanout}
        for job, process in self.processes.items():
            self.targets[job] = f"127.0.0.1:{process.operator_port}"

    def start_balancer(self, stack: ExitStack) -> str:
        port = free_port()
        balancer = stack.enter_context(haproxy(f"127.0.0.1:{self.api.port}", port, self.folder))
        self.targets["haproxy"] = balancer.address
        return f"http://127.0.0.1:{port}"

    def start_exporters(self, stack: ExitStack) -> None:
        """Start the exporters that are installed."""
        if find("prometheus-postgres-exporter"):
            exporter = postgres_exporter(self.database_url, self.folder)
            self.targets["postgresql"] = stack.enter_context(exporter).address
        if find("prometheus-redis-exporter"):
            exporter = valkey_exporter(self.valkey.url(), self.folder)
            self.targets["valkey"] = stack.enter_context(exporter).address
        if find("prometheus-node-exporter"):
            self.targets["host"] = stack.enter_context(node_exporter(self.folder)).address
        if find("prometheus-blackbox-exporter"):
            self.targets["probe"] = stack.enter_context(blackbox_exporter(self.folder)).address
        if find("prometheus-alertmanager"):
            server = stack.enter_context(alertmanager(self.folder, self.api.url))
            self.targets["alertmanager"] = server.address

    def start_prometheus(self, stack: ExitStack) -> Program:
        port = free_port()
        self.targets["prometheus"] = f"127.0.0.1:{port}"
        configuration = self.folder / "prometheus.yaml"
        rule_files = self.copied_rules(self.folder / "rules")
        configuration.write_text(yaml.safe_dump(configured(self.targets, self.api.url, rule_files)))
        command = [needed("prometheus"), f"--config.file={configuration}", f"--web.listen-address=127.0.0.1:{port}"]
        data = f"--storage.tsdb.path={self.folder / 'prometheus'}"
        return stack.enter_context(Program([*command, data], port, self.folder / "prometheus.log", "/-/ready"))

    def copied_rules(self, folder: Path) -> str:
        """Copy the rules without intervals of their own; return the pattern of the copies."""
        folder.mkdir()
        for file in (PROMETHEUS / "rules").glob("*.yaml"):
            content = yaml.safe_load(file.read_text())
            for group in content["groups"]:
                group.pop("interval", None)
            (folder / file.name).write_text(yaml.safe_dump(content))
        return str(folder / "*.yaml")

    def ask(self, path: str, **query: str) -> Any:
        """Return the answer of Prometheus. Raises AssertionError with its reason when it refuses."""
        url = f"{self.prometheus.url}{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refused:
            with refused:
                raise AssertionError(f"{query}: {refused.read().decode()}") from None

    def values(self, expression: str) -> list[str]:
        """Return the values of an expression now."""
        return [sample["value"][1] for sample in self.ask("/api/v1/query", query=expression)["result"]]


def configured(targets: dict[str, str], board: str, rule_files: str) -> dict[str, Any]:
    """Return the committed configuration with the targets that exist, short intervals, and these files of rules."""
    committed: dict[str, Any] = yaml.safe_load((PROMETHEUS / "prometheus.yaml").read_text())
    jobs = {job["job_name"]: job for job in committed["scrape_configs"]}
    assert set(targets) <= set(jobs), "the stage watches a job that the committed configuration lacks"
    return {
        "global": {"scrape_interval": SCRAPE, "scrape_timeout": SCRAPE, "evaluation_interval": SCRAPE},
        "rule_files": [rule_files],
        "scrape_configs": [
            probing(jobs[job], address, board) if job == "probe" else scraping(job, address)
            for job, address in targets.items()
        ],
    }


def scraping(job: str, address: str) -> dict[str, Any]:
    return {"job_name": job, "static_configs": [{"targets": [address]}]}


def probing(job: dict[str, Any], exporter: str, board: str) -> dict[str, Any]:
    """Return the committed job that probes, with this exporter and this board."""
    *kept, through = job["relabel_configs"]
    relabeled = [*kept, {**through, "replacement": exporter}]
    shared = {name: job[name] for name in ("job_name", "metrics_path", "params")}
    return {**shared, "static_configs": [{"targets": [f"{board}/api/health"]}], "relabel_configs": relabeled}

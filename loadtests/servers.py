"""The servers' own metrics, where their operator ports can be reached: to compare counts, and to see what grows."""

import statistics
import threading
import time
import urllib.request
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

EVERY_SECONDS: Final = 5.0
TIMEOUT_SECONDS: Final = 3.0
# Operator ports are private, so no proxy reaches them.
DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))
GAUGES: Final = {
    "process_resident_memory_bytes": "memory",
    "process_open_fds": "descriptors",
    "agent_board_pool_connections": "connections",
}


@dataclass
class Sample:
    """The values that one process showed at one moment."""

    at: float
    requests: float = 0.0
    gauges: dict[str, float] = field(default_factory=lambda: defaultdict(float))


class Servers:
    """Samples the processes at these addresses, by name, until stopped. Without addresses it has nothing to show."""

    def __init__(self, urls: dict[str, str]) -> None:
        self.urls = urls
        self.samples: defaultdict[str, list[Sample]] = defaultdict(list)
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, name="metrics", daemon=True)

    def start(self) -> None:
        """Take a first sample, and continue in the background."""
        self.sample()
        self.thread.start()

    def stop(self) -> None:
        """Take the last sample."""
        self.stopped.set()
        self.thread.join()
        self.sample()

    def run(self) -> None:
        while not self.stopped.wait(EVERY_SECONDS):
            self.sample()

    def sample(self) -> None:
        for name, url in self.urls.items():
            try:
                with DIRECT.open(f"{url}/metrics", timeout=TIMEOUT_SECONDS) as answer:
                    self.samples[name].append(parse(answer.read().decode()))
            except OSError:
                continue

    def requests(self) -> int | None:
        """Return how many requests the API processes have counted; None when that is not known."""
        counted = [several[-1].requests - several[0].requests for name, several in self.samples.items() if several]
        return round(sum(counted)) if counted else None

    def growth(self, gauge: str) -> dict[str, tuple[float, float]]:
        """Return a gauge of each process in the second quarter of the samples, and in the last."""
        found = {}
        for name, several in self.samples.items():
            values = [sample.gauges[gauge] for sample in several]
            quarter = len(values) // 4
            if quarter:
                found[name] = statistics.median(values[quarter : 2 * quarter]), statistics.median(values[-quarter:])
        return found


def parse(page: str) -> Sample:
    """Return the sample of one page of metrics."""
    sample = Sample(time.monotonic())
    for family in text_string_to_metric_families(page):
        for one in family.samples:
            if one.name == "agent_board_requests_total" and one.labels.get("operation") != "check_health":
                sample.requests += one.value
            elif one.name in GAUGES:
                sample.gauges[GAUGES[one.name]] += one.value
    return sample

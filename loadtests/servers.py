"""The servers' own count of requests, where their operator ports can be reached, to compare it with the client's."""

import urllib.request
from collections import defaultdict
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

TIMEOUT_SECONDS: Final = 3.0
# Operator ports are private, so no proxy reaches them.
DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Servers:
    """The counts of the processes at these addresses, by name, at each call of `count`."""

    def __init__(self, urls: dict[str, str]) -> None:
        self.urls = urls
        self.counts: defaultdict[str, list[float]] = defaultdict(list)

    def count(self) -> None:
        """Read the counts of all processes that answer."""
        for name, url in self.urls.items():
            try:
                with DIRECT.open(f"{url}/metrics", timeout=TIMEOUT_SECONDS) as answer:
                    self.counts[name].append(requests_in(answer.read().decode()))
            except OSError:
                continue

    def requests(self) -> int | None:
        """Return the requests from the first count to the last; None when that is not known."""
        counted = [several[-1] - several[0] for several in self.counts.values()]
        return round(sum(counted)) if counted else None


def requests_in(page: str) -> float:
    """Return the requests that one page of metrics has counted, without those for health."""
    return sum(
        one.value
        for family in text_string_to_metric_families(page)
        for one in family.samples
        if one.name == "agent_board_requests_total" and one.labels.get("operation") != "check_health"
    )

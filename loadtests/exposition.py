"""The loader's own view as metrics for Prometheus, while a run lasts: the dashboard "load test" shows it."""

from collections.abc import Iterator

from locust.env import Environment
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

QUANTILES = (0.5, 0.99)


class LoaderMetrics(Collector):
    """What Locust's statistics hold now: users, calls, failures and latencies by operation."""

    def __init__(self, environment: Environment, profile: str) -> None:
        self.environment = environment
        self.profile = profile

    def collect(self) -> Iterator[Metric]:
        """Yield the metric families."""
        users = GaugeMetricFamily("agent_board_load_users", "Users of the load test.", labels=["profile"])
        users.add_metric([self.profile], self.environment.runner.user_count if self.environment.runner else 0)
        calls = CounterMetricFamily("agent_board_load_calls", "Calls of the load test.", labels=["operation"])
        failures = CounterMetricFamily(
            "agent_board_load_failures", "Calls that failed or had a wrong answer.", labels=["operation"]
        )
        latency = GaugeMetricFamily(
            "agent_board_load_latency_seconds",
            "Time from the planned moment of a call to its answer, over the last ten seconds.",
            labels=["operation", "quantile"],
        )
        for (operation, _), entry in list(self.environment.stats.entries.items()):
            calls.add_metric([operation], entry.num_requests)
            failures.add_metric([operation], entry.num_failures)
            for quantile in QUANTILES:
                milliseconds = entry.get_current_response_time_percentile(quantile)
                if milliseconds is not None:
                    latency.add_metric([operation, str(quantile)], milliseconds / 1000)
        yield from (users, calls, failures, latency)


def expose(environment: Environment, profile: str, port: int) -> None:
    """Serve the metrics on a port until the process ends. Raises OSError when the port is taken."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(LoaderMetrics(environment, profile))
    start_http_server(port, registry=registry)

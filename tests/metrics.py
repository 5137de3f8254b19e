"""Reading the metrics of a process or of a registry by value."""

from prometheus_client import generate_latest
from prometheus_client.registry import Collector

from services.process.metrics import Registry
from tests.processes import ApiProcess


def metric(source: ApiProcess | Registry, line: str) -> float:
    """Return the value of one line: a metric's name, with its labels as Prometheus reads them. Fails without it."""
    page = generate_latest(source).decode() if isinstance(source, Registry) else source.operator("/metrics")[1]
    values = [value for name, _, value in (text.rpartition(" ") for text in page.splitlines()) if name == line]
    assert len(values) == 1, f"{line}: {values}"
    return float(values[0])


def counts(metric: Collector) -> dict[tuple[str, ...], float]:
    """Return a counter's values by the values of their labels; of a histogram, how many values it has."""
    samples = [sample for family in metric.collect() for sample in family.samples]
    return {tuple(s.labels.values()): s.value for s in samples if s.name.endswith(("_total", "_count"))}

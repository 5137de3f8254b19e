"""Reading the metrics of a process or of a registry by value."""

from services.process.metrics import Registry
from tests.processes import ApiProcess


def metric(source: ApiProcess | Registry, line: str) -> float:
    """Return the value of one line: a metric's name, with its labels as Prometheus reads them. Fails without it."""
    page = source.exposition()[0].decode() if isinstance(source, Registry) else source.operator("/metrics")[1]
    values = [value for name, _, value in (text.rpartition(" ") for text in page.splitlines()) if name == line]
    assert len(values) == 1, f"{line}: {values}"
    return float(values[0])

"""The kinds of metrics: plain numbers on the hot path, converted to Prometheus families only at a scrape.

Label values must come from a short, closed list in the code, never from a client.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The bucket bounds of every distribution of times, in seconds."""

LabelValue = str | int
Labels = tuple[LabelValue, ...]


class Instrument(Protocol):
    """A metric that can be registered: it has a name and converts itself to a Prometheus family."""

    name: str

    def family(self) -> Metric: ...


class Count:
    """A counter per combination of label values; its name ends with _total."""

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self._help_text = help_text
        self._labels = tuple(labels)
        self.values: dict[Labels, int] = {} if labels else {(): 0}

    def add(self, *labels: LabelValue, amount: int = 1) -> None:
        """Raise the counter of these label values, one for each declared label, by `amount` >= 0."""
        try:
            self.values[labels] += amount
        except KeyError:
            _check_labels(self.name, self._labels, labels)
            self.values[labels] = amount

    def family(self) -> Metric:
        family = CounterMetricFamily(self.name, self._help_text, labels=self._labels)
        for labels, value in list(self.values.items()):
            family.add_metric(tuple(map(str, labels)), value)
        return family


class Buckets:
    """The number of values within each bucket, and their sum: one line of a distribution."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def cumulative(self) -> list[tuple[str, float]]:
        """Return pairs of an upper bound and the number of values up to it, ending with +Inf, as Prometheus expects."""
        names = [*map(str, self.bounds), "+Inf"]
        rising, so_far = [], 0
        for name, count in zip(names, self.counts, strict=True):
            so_far += count
            rising.append((name, float(so_far)))
        return rising


class Distribution:
    """A histogram with fixed, rising bounds, in the unit at the end of its name. Raises ValueError for other bounds."""

    def __init__(
        self, name: str, help_text: str, bounds: Sequence[float] = SECONDS, labels: Sequence[str] = ()
    ) -> None:
        if not bounds or list(bounds) != sorted(set(bounds)):
            raise ValueError(f"The bounds of {name} do not rise.")
        self.name = name
        self._help_text = help_text
        self._labels = tuple(labels)
        self._bounds = tuple(map(float, bounds))
        self._lines: dict[Labels, Buckets] = {} if labels else {(): Buckets(self._bounds)}

    def observe(self, value: float, *labels: LabelValue) -> None:
        """Add one value, with one label value for each declared label."""
        self.line(*labels).observe(value)

    def line(self, *labels: LabelValue) -> Buckets:
        """Return the buckets of these label values, which a caller on the hot path may keep."""
        try:
            return self._lines[labels]
        except KeyError:
            _check_labels(self.name, self._labels, labels)
            return self._lines.setdefault(labels, Buckets(self._bounds))

    def family(self) -> Metric:
        family = HistogramMetricFamily(self.name, self._help_text, labels=self._labels)
        for labels, line in list(self._lines.items()):
            family.add_metric(tuple(map(str, labels)), line.cumulative(), sum_value=line.total)
        return family


Read = Callable[[], float | Mapping[str, float]]


class Reading:
    """A value that `read` returns at each scrape; with `label`, a mapping from label values to values.

    It is a gauge, or a counter if its name ends with _total; then it must never decrease.
    """

    def __init__(self, name: str, help_text: str, read: Read, label: str | None = None) -> None:
        self.name = name
        self._help_text = help_text
        self._read = read
        self._label = label

    def family(self) -> Metric:
        kind = CounterMetricFamily if self.name.endswith("_total") else GaugeMetricFamily
        family: CounterMetricFamily | GaugeMetricFamily
        family = kind(self.name, self._help_text, labels=(self._label,) if self._label else ())
        found = self._read()
        lines = {(key,): value for key, value in found.items()} if isinstance(found, Mapping) else {(): found}
        for labels, value in lines.items():
            family.add_metric(labels, value)
        return family


class Facts:
    """A metric with the value 1 that carries fixed facts as labels; its name ends with _info."""

    def __init__(self, name: str, help_text: str, facts: Mapping[str, str]) -> None:
        self.name = name
        self._help_text = help_text
        self._facts = dict(facts)

    def family(self) -> Metric:
        family = GaugeMetricFamily(self.name, self._help_text, labels=tuple(self._facts))
        family.add_metric(tuple(self._facts.values()), 1)
        return family


def _check_labels(name: str, declared: tuple[str, ...], given: Labels) -> None:
    if len(declared) != len(given):
        raise ValueError(f"{name} has {len(declared)} labels, not {len(given)}.")

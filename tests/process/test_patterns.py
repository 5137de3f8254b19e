"""No regular expression of the board takes long for a long text, whatever repeats in it."""

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator

import services
from services.contract.bounds import HEAD_BYTES_MAX
from tests.figures import FIGURES
from tests.processes import CHECKOUT

# Texts are searched, and values from heads and short fields must match as a whole.
TEXT, VALUE = 30_000, HEAD_BYTES_MAX
# A pattern that reads such a text once takes milliseconds; one that starts again at each character, many seconds.
SECONDS = 1.0
SOURCES = "".join(path.read_text() for path in (CHECKOUT / "services").rglob("*.py"))
UNITS = (
    *"a0 -._/@:[(\"'<\n\u0301", "a.", "a-", "0a", "a ", "- ", "::", "//", "a@", "a:", "../", "[a](", "https://a", "https://",
    "agb_", "sk-", "A", "=", "a=", "%41", "&", "\\", "\u3042", "\U0001f469\u200d",
)  # fmt: skip


def patterns() -> Iterator[tuple[str, "re.Pattern[str]"]]:
    """Yield every expression that a module of the board keeps, with its place."""
    for module in pkgutil.walk_packages(services.__path__, "services."):
        if not module.name.endswith("__main__") and ".migrations." not in module.name:
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    yield f"{module.name}.{name}", value


def is_searched(name: str) -> bool:
    """Return whether a pattern of this name is looked for in texts, or must match a value from its beginning."""
    used = set(re.findall(rf"\b{name.rpartition('.')[2]}\.(\w+)\(", SOURCES))
    return not used or bool(used - {"match", "fullmatch"})


def cost(name: str, pattern: "re.Pattern[str]") -> float:
    """Return the seconds of CPU that the costliest text takes."""
    length, read = (TEXT, pattern.search) if is_searched(name) else (VALUE, pattern.fullmatch)
    return max(seconds_of(read, (unit * length)[:length] + end) for unit in UNITS for end in ("", "!"))


def seconds_of(read: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began


def test_no_repetition_makes_a_pattern_slow(record_property: Callable[[str, object], None]) -> None:
    found = dict(patterns())
    assert len(found) > 30
    costs = {name: cost(name, pattern) for name, pattern in found.items()}
    slowest = max(costs, key=lambda name: costs[name])
    record_property(FIGURES, f"the slowest of {len(costs)} patterns: {costs[slowest]:.3f} s, {slowest}")
    assert {name: seconds for name, seconds in costs.items() if seconds > SECONDS} == {}

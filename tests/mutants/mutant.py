"""A mutant: one wrong line of code, and the tests that must fail with it. Each file holds those of one promise.

# The fault, in one sentence.
[name_of_the_mutant]
file = "services/board/posts/votes.py"
was = 'the right code, which occurs exactly once'
becomes = 'the wrong code'
tests = ["tests/api/test_idempotency_key.py::test_..."]
"""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
CHECKOUT = FOLDER.parents[1]


@dataclass(frozen=True)
class Mutant:
    """One faulty build. `tests` are files or node ids of pytest."""

    name: str
    file: str
    was: str
    becomes: str
    tests: list[str]

    @contextmanager
    def applied(self, checkout: Path) -> Iterator[None]:
        """Put the wrong line into a copy of the checkout within the block. Raises ValueError unless `was` is unique."""
        path = checkout / self.file
        right = path.read_text(encoding="utf-8")
        if right.count(self.was) != 1:
            raise ValueError(f"{self.name}: {self.file} has the line {right.count(self.was)} times; it must be once.")
        write(path, right.replace(self.was, self.becomes))
        try:
            yield
        finally:
            write(path, right)


def write(path: Path, text: str) -> None:
    """Write a module and delete its bytecode: Python misses a change of equal length within the same second."""
    path.write_text(text, encoding="utf-8")
    for bytecode in path.parent.glob(f"__pycache__/{path.stem}.*"):
        bytecode.unlink()


def mutants() -> list[Mutant]:
    """Return every mutant, by promise and name. Raises ValueError when two have one name."""
    tables = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))]
    found = [Mutant(name, **table[name]) for table in tables for name in table]
    if len({mutant.name for mutant in found}) < len(found):
        raise ValueError("Two mutants have the same name.")
    return found

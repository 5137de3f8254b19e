"""Parts of pages that are kept: rendered again when anything in them differs, and within a bound of memory."""

from typing import Any

import msgspec
from markupsafe import Markup

from services.api.site.fragments import Fragments


class Row(msgspec.Struct):
    """What a row of a list shows."""

    title: str
    score: int = 0
    tags: list[str] = []


class Counting:
    """A macro that counts its calls."""

    def __init__(self, name: str = "row") -> None:
        self.name = name
        self.calls = 0

    def __call__(self, record: Row, *more: Any) -> Markup:
        self.calls += 1
        return Markup("{}:{}:{}").format(self.name, record, more)


def test_a_fragment_is_rendered_once_for_the_same_content() -> None:
    fragments, macro = Fragments(), Counting()
    first = fragments.of(macro, Row("a", tags=["b"]), True)
    assert fragments.of(macro, Row("a", tags=["b"]), True) == first
    assert macro.calls == 1


def test_anything_that_differs_makes_another_fragment() -> None:
    fragments = Fragments()
    row = Row("a", 1, ["b"])
    others = (
        fragments.of(Counting(), row, False),
        fragments.of(Counting(), row, True),
        fragments.of(Counting("other"), row, False),
        fragments.of(Counting(), Row("a", 2, ["b"]), False),
        fragments.of(Counting(), Row("a", 1, ["c"]), False),
        fragments.of(Counting(), Row("A", 1, ["b"]), False),
    )
    assert len(set(others)) == len(others)


def test_the_least_recently_used_fragments_make_room() -> None:
    fragments, macro = Fragments(100_000), Counting()
    for number in range(100):
        fragments.of(macro, Row(f"{number}" + "x" * 10_000))
        fragments.of(macro, Row("0" + "x" * 10_000))
        assert fragments.shelf.held <= 100_000
    assert macro.calls == 100

"""Parts of pages: a row of a list or a post, rendered once while it stays in memory.

A page is built again after every change that it shows, and most of its rows are still the same.
"""

import sys
from collections.abc import Callable
from typing import Final

import msgspec
from markupsafe import Markup

from services.api.cache.shelf import Entry, Shelf

FRAGMENTS_BYTES: Final = 16 * 2**20
# The bytes of an entry besides the content of its record and its HTML.
OVERHEAD: Final = 500


class Fragments:
    """Calls macros of templates, and keeps what they return. They see their arguments and nothing else of the page."""

    def __init__(self, size: int = FRAGMENTS_BYTES) -> None:
        self.shelf = Shelf(size)

    def of(self, macro: Callable[..., Markup], record: msgspec.Struct | str, *more: object) -> Markup:
        """Return the HTML that a macro makes of a record and more arguments, which must be hashable."""
        content = msgspec.msgpack.encode(record)
        key = macro.name, content, *more  # type: ignore[attr-defined]
        known = self.shelf.find(key)
        if known is not None:
            return known.value  # type: ignore[no-any-return]
        fragment = macro(record, *more)
        self.shelf.put(key, Entry(fragment, None, sys.getsizeof(fragment) + len(content) + OVERHEAD))
        for surplus in self.shelf.surplus():
            self.shelf.take(surplus)
        return fragment

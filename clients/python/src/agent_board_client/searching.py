"""The results of a search in which no thread has all words (interface 9.7)."""

from .models import SearchResult

# Of threads with only some words, more are seldom of use.
NEAREST = 3
NO_COMPLETE = "No thread has all words; the nearest are:"


def is_nearest(found: SearchResult) -> bool:
    """Return whether a search found threads, and none of them has all words."""
    return bool(found.threads) and all(thread.matched != "all" for thread in found.threads)

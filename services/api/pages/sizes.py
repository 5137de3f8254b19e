"""How much the pages for people show at once."""

from typing import Final

LIVELY_THREADS: Final = 8
THREADS_PER_PAGE: Final = 25
REPLIES_PER_PAGE: Final = 50
TEXT_BYTES: Final = 2**19
"""How many bytes of texts the page of a thread has. The longest ones are shortened."""
POSTS_PER_PAGE: Final = 25
FOUND_PER_PAGE: Final = 20
"""How many threads, and how many agents, a page of a search shows."""
AGENTS_PER_PAGE: Final = 40
COMMUNITIES_PER_PAGE: Final = 100

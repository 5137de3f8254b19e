"""The texts of posts as HTML. A post never changes, so its text is rendered once while it stays in memory.

Authors choose what a page costs. So a page has a budget, pages are rendered one after another, and between two texts
the event loop is free for as long as the last one took.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from sys import getsizeof
from time import perf_counter
from typing import Final

from cachetools import LRUCache
from markupsafe import Markup

from services.contract.answers import Reply, Thread

from .markdown import Text, plain, render

TEXTS_BYTES: Final = 16 * 2**20
# The texts of a page beyond this effort, the longest ones, are shown as they were sent.
PAGE_EFFORT: Final = 20_000
# The levels of the headings above the texts on the page of a thread.
THREAD_HEADING: Final = 1
REPLY_HEADING: Final = 3


class Texts:
    """Renders the texts of posts within the budgets of effort.py."""

    def __init__(self, size: int = TEXTS_BYTES) -> None:
        self.rendered: LRUCache[tuple[int, int], Text] = LRUCache(size, lambda text: getsizeof(text.html))
        self.turn = asyncio.Lock()

    async def of(self, posts: Sequence[Thread | Reply]) -> dict[int, Markup]:
        """Return the HTML of the posts of a page by their ids; their texts decide which of them are rendered."""
        found: dict[int, Markup] = {}
        left, waited = PAGE_EFFORT, False
        async with AsyncExitStack() as held:
            for post in sorted(posts, key=lambda post: (len(post.body), post.id)):
                text = self.find(post) if left > 0 else Text(plain(post.body), 0)
                if text is None and not waited:
                    await held.enter_async_context(self.turn)
                    waited, text = True, self.find(post)
                if text is None:
                    text = await self.render(post)
                found[post.id] = text.html
                left -= text.effort
        return found

    def find(self, post: Thread | Reply) -> Text | None:
        return self.rendered.get(key_of(post))

    async def render(self, post: Thread | Reply) -> Text:
        """Render a text and remember it, then leave the event loop to others for as long as that took."""
        began = perf_counter()
        text = render(post.body, REPLY_HEADING if isinstance(post, Reply) else THREAD_HEADING)
        self.rendered[key_of(post)] = text
        await asyncio.sleep(perf_counter() - began)
        return text


def key_of(post: Thread | Reply) -> tuple[int, int]:
    """Return what a text is remembered by: only a restored backup gives an id to another text."""
    return post.id, hash(post.body)

"""The texts of posts as HTML. A post never changes, so its text is rendered once while it stays in memory."""

import asyncio
from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from services.api.cache.shelf import Entry, Shelf
from services.contract.answers import Reply, Thread

from .markdown import render

TEXTS_BYTES: Final = 16 * 2**20
# The levels of the headings above the texts on the page of a thread.
THREAD_HEADING: Final = 1
REPLY_HEADING: Final = 3


class Texts:
    """Renders the texts of posts, one at a time so that other requests do not wait for all of them."""

    def __init__(self, size: int = TEXTS_BYTES) -> None:
        self.shelf = Shelf(size)

    async def of(self, posts: Sequence[Thread | Reply]) -> dict[int, Markup]:
        """Return the HTML of these posts by their ids."""
        return {post.id: await self.text_of(post) for post in posts}

    async def text_of(self, post: Thread | Reply) -> Markup:
        # Only a restored backup gives an id to another text.
        key = post.id, hash(post.body)
        known = self.shelf.find(key)
        if known is not None:
            return known.value  # type: ignore[no-any-return]
        text = render(post.body, REPLY_HEADING if isinstance(post, Reply) else THREAD_HEADING)
        self.shelf.put(key, Entry(text, None, 4 * len(text)))
        for surplus in self.shelf.surplus():
            self.shelf.take(surplus)
        await asyncio.sleep(0)
        return text

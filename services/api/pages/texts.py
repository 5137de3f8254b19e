"""The texts of posts as HTML. A post never changes, so its text is rendered once while it stays in memory.

Authors choose what a page costs. So a view of a page renders texts for a bounded time, and between two texts the event
loop is free for as long as the last one took.
"""

import asyncio
from collections.abc import Sequence
from sys import getsizeof
from time import thread_time
from typing import Final

from cachetools import LRUCache
from markupsafe import Markup

from services.contract.answers.posts import Reply, Thread

from .markdown import plain, render

TEXTS_BYTES: Final = 16 * 2**20
# A view of a page begins to render no text after this time. The next view finds those that were rendered in memory.
VIEW_SECONDS: Final = 0.02
# The levels of the headings above the texts on the page of a thread.
THREAD_HEADING: Final = 1
REPLY_HEADING: Final = 3

# A post, and the hash of its text: only a restored backup gives an id to another text.
Key = tuple[int, int]


class Texts:
    """The texts that were rendered, of at most `size` bytes."""

    def __init__(self, size: int = TEXTS_BYTES) -> None:
        self.rendered: LRUCache[Key, Markup] = LRUCache(size, getsizeof)
        self.turn = asyncio.Lock()

    async def of(self, posts: Sequence[Thread | Reply]) -> tuple[dict[int, Markup], bool]:
        """Return the HTML of the posts of a page by their ids, and whether there was time for all of them.

        The longest ones are shown as they were sent if there was not.
        """
        found: dict[int, Markup] = {}
        left, whole = VIEW_SECONDS, True
        for post in sorted(posts, key=lambda post: (len(post.body), post.id)):
            key = post.id, hash(post.body)
            if key not in self.rendered and left > 0:
                left -= await self.render(post, key)
            text = self.rendered.get(key)
            whole = whole and text is not None
            found[post.id] = plain(post.body) if text is None else text
        return found, whole

    async def render(self, post: Thread | Reply, key: Key) -> float:
        """Render a text and remember it; return the processor time that this took.

        Texts are rendered one after another, and others have a turn for as long as one took.
        """
        async with self.turn:
            if key in self.rendered:
                return 0.0
            began = thread_time()
            self.rendered[key] = render(post.body, REPLY_HEADING if isinstance(post, Reply) else THREAD_HEADING)
            seconds = thread_time() - began
            await asyncio.sleep(seconds)
        return seconds

"""The texts of posts as HTML. A post never changes, so its text is rendered once while it stays in memory.

Authors choose what a page costs. So a page has a budget, pages are rendered one after another, and between two texts
the event loop is free for as long as the last one took.
"""

import asyncio
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from sys import getsizeof
from time import perf_counter
from typing import Final, NamedTuple

from cachetools import LRUCache
from markupsafe import Markup

from services.contract.answers.posts import Reply, Thread

from .highlighting import TEXT_CODE
from .markdown import Text, plain, render

TEXTS_BYTES: Final = 16 * 2**20
# The texts of a page beyond this effort, the longest ones, are shown as they were sent.
PAGE_EFFORT: Final = 20_000
# The code of the longest texts of a page is not highlighted beyond this number of characters.
PAGE_CODE: Final = 12_000
# The levels of the headings above the texts on the page of a thread.
THREAD_HEADING: Final = 1
REPLY_HEADING: Final = 3


# The beginning of code with the name of a language. A text without it is the same whether code is highlighted or not.
CODE: Final = re.compile("```|~~~")


class Texts:
    """Renders the texts of posts within the budgets of effort.py and of highlighting.py.

    A text is remembered with its code highlighted, and without.
    """

    def __init__(self, size: int = TEXTS_BYTES, prefix: str = "") -> None:
        self.rendered: LRUCache[Key, Text] = LRUCache(size, lambda text: getsizeof(text.html))
        self.prefix = prefix
        self.turn = asyncio.Lock()

    async def of(self, posts: Sequence[Thread | Reply]) -> dict[int, Markup]:
        """Return the HTML of the posts of a page by their ids; their texts decide which of them are rendered."""
        found: dict[int, Markup] = {}
        left, code, waited = PAGE_EFFORT, PAGE_CODE, False
        async with AsyncExitStack() as held:
            for post in sorted(posts, key=lambda post: (len(post.body), post.id)):
                key = key_of(post, code > 0)
                text = self.rendered.get(key) if left > 0 else Text(plain(post.body), 0)
                if text is None and not waited:
                    await held.enter_async_context(self.turn)
                    waited, text = True, self.rendered.get(key)
                if text is None:
                    text = await self.render(post, key)
                found[post.id] = text.html
                left -= text.effort
                code -= text.code
        return found

    async def render(self, post: Thread | Reply, key: "Key") -> Text:
        """Render a text and remember it, then leave the event loop to others for as long as that took."""
        began = perf_counter()
        heading = REPLY_HEADING if isinstance(post, Reply) else THREAD_HEADING
        text = render(post.body, heading, post.id, self.prefix, TEXT_CODE if key.highlighted else 0)
        self.rendered[key] = text
        await asyncio.sleep(perf_counter() - began)
        return text


class Key(NamedTuple):
    """The key of a remembered text: only a restored backup gives an id to another text."""

    post: int
    digest: int
    highlighted: bool


def key_of(post: Thread | Reply, highlighted: bool) -> Key:
    """Return the key of the text of a post."""
    return Key(post.id, hash(post.body), highlighted or not CODE.search(post.body))

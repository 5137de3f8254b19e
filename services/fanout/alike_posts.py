"""Posts that nearly repeat one of the last hours by another author, found as they come, in a memory of a fixed size.

Each phrase has places for a few posts that hold it, where newer posts replace older ones. So a post costs the same
however many came before it, and a repeat of what is forgotten is not counted.
"""

import time
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from itertools import chain
from mmap import mmap
from typing import Final, NamedTuple

from services.board.moderation import likeness
from services.board.moderation.wordings import Wording

ALIKE_SECONDS: Final = 10_800.0
"""How long a post is compared with later ones."""
SPREAD_SECONDS: Final = 600.0
"""The time within which many authors with one text stand out."""
PHRASES_MAX: Final = 25
"""How many phrases of a post are held: those with the least hashes, so alike posts have the same ones."""
SLOTS: Final = 2**20
HOLDERS: Final = 8
"""How many posts a slot of phrases holds. With SLOTS, at most 32 MB, and hours of 20 posts a second."""
POSTS_MAX: Final = 2**18
ALIKE_MAX: Final = 20_000
AUTHORS_MIN: Final = 5
COVERED_SHARE: Final = 0.6


class Alike(NamedTuple):
    """A post that nearly repeats another one: its time (Unix seconds), author, number of its text, and phrases."""

    at: float
    author: int
    text: int
    slots: "array[int]"


class AlikePosts:
    """The posts of the last hours by their phrases, and which of them were alike."""

    def __init__(self) -> None:
        # by number of the post, modulo POSTS_MAX; a text has the number of the first post that it was found in
        self.times: Final = array("d", bytes(8 * POSTS_MAX))
        self.authors: Final = array("q", bytes(8 * POSTS_MAX))
        self.texts: Final = array("Q", bytes(8 * POSTS_MAX))
        self.number = 0
        # memory of the system, which takes no room until a phrase is held there
        self.holders: Final = memoryview(mmap(-1, 4 * SLOTS * HOLDERS)).cast("I")
        self.alike: Final = deque[Alike](maxlen=ALIKE_MAX)

    def is_alike(self, post: Wording) -> bool:
        """Return whether a post nearly repeats one of another author, and remember it.

        A text of fewer than seven words is not compared: many authors write the same greeting.
        """
        phrases = [phrase for phrase in likeness.phrases_of(post.text) if phrase >= 0]
        if len(phrases) < likeness.COMMON_MIN:
            return False
        slots = [phrase % SLOTS * HOLDERS for phrase in sorted(phrases)[:PHRASES_MAX]]
        model = self.model_of(post, slots)
        self.number += 1
        self.remember(post, slots, self.number if model is None else self.texts[model % POSTS_MAX])
        if model is not None:
            self.alike.append(Alike(post.at, post.author_id, self.texts[model % POSTS_MAX], array("I", slots)))
        return model is not None

    def model_of(self, post: Wording, slots: Sequence[int]) -> int | None:
        """Return the number of the most alike post of another author, if it is alike enough."""
        shared = Counter(chain.from_iterable(self.holders[slot : slot + HOLDERS] for slot in slots))
        for number, count in shared.most_common():
            if not likeness.is_enough(count, len(slots)):
                break
            if self.is_by_another(post, number):
                return number
        return None

    def is_by_another(self, post: Wording, number: int) -> bool:
        """Return whether a post is still remembered, recent, and by another author."""
        place = number % POSTS_MAX
        is_remembered = number > 0 and self.number - number < POSTS_MAX
        return is_remembered and self.authors[place] != post.author_id and post.at - self.times[place] <= ALIKE_SECONDS

    def remember(self, post: Wording, slots: Sequence[int], text: int) -> None:
        place = self.number % POSTS_MAX
        self.times[place], self.authors[place], self.texts[place] = post.at, post.author_id, text
        for slot in slots:
            self.holders[slot + self.number % HOLDERS] = self.number

    def most_authors(self) -> int:
        """Return how many authors have nearly repeated one text within ten minutes: of the text with the most.

        The first post of a text is not counted. A text counts only if more authors than usual have it, and if it is
        most of what they wrote, so no phrase that they share. A number below AUTHORS_MIN is returned as 0.
        """
        now = time.time()
        newest: defaultdict[int, list[Alike]] = defaultdict(list)
        earlier: Counter[int] = Counter()
        for post in self.alike:
            if now - post.at <= SPREAD_SECONDS:
                newest[post.text].append(post)
            else:
                earlier[post.text] += now - post.at <= ALIKE_SECONDS
        authors = {text: len({post.author for post in posts}) for text, posts in newest.items()}
        for text, number in sorted(authors.items(), key=lambda one: one[1], reverse=True):
            if number < AUTHORS_MIN:
                break
            usual = earlier[text] * SPREAD_SECONDS / (ALIKE_SECONDS - SPREAD_SECONDS)
            if likeness.stands_out(number, usual) and is_one_text(newest[text]):
                return number
        return 0


def is_one_text(posts: Sequence[Alike]) -> bool:
    """Return whether the phrases that are common in alike posts are as many as half of those of a post."""
    model = likeness.model_of([frozenset(post.slots) for post in posts])
    return len(model) >= COVERED_SHARE * sum(len(post.slots) for post in posts) / len(posts)

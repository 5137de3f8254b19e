"""Texts that nearly repeat one another: they share phrases of three words, whatever else was changed in them.

Two texts that were re-worded differently share few phrases. But each phrase of their model stands in many of them, so
groups are found by phrases that are common in the group, and unusual elsewhere.
"""

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

ALIKE_MIN: Final = 3
"""How many texts must be alike to be a group."""
PHRASES_MAX: Final = 64
"""How many phrases of a text are compared: those with the least hashes, so alike texts keep the same ones."""
SEEDS_MAX: Final = 2_000
SEED_TEXTS_MAX: Final = 100
COMMON_SHARE: Final = 0.15
"""In which share of the texts with one phrase another one must be to belong to the same model."""
COMMON_MIN: Final = 5
"""How many phrases a model has at least: an idiom of everyday text has fewer."""
SHARED_SHARE: Final = 0.12
"""Which share of its phrases a text must have from the model, and at least two."""
UNSPACED: Final = r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
WORD: Final = re.compile(rf"[^\W_{UNSPACED}]+|[{UNSPACED}]")
"""A word, or one character of Chinese or Japanese, which have no spaces."""
WORD_MAX: Final = 40
"""How many characters of a word are compared, which bounds the memory of number_of."""
DIGITS: Final = re.compile(r"\d+")
ZEROS: Final = re.compile("00+")
ASCII: Final = {code: "0" if chr(code).isdigit() else " " for code in range(128) if not chr(code).isalpha()}
"""The replacements of the characters of ASCII that are no letters."""
LINK: Final = re.compile(r"https?://\S+")

Phrases = frozenset[int]


class Group(NamedTuple):
    """The places of texts that are alike, in their order, and the phrases of their model."""

    places: list[int]
    model: Phrases


def phrases_of(text: str) -> Phrases:
    """Return the phrases of a text as hashes, and one negative hash for all of its words.

    Digits do not count, nor do addresses of links: many authors link to one place.
    """
    words = words_of(text)
    if max(map(len, words), default=0) > WORD_MAX:
        words = [word[:WORD_MAX] for word in words]
    found = [*map(number_of, words)]
    # sorting some hundred hashes costs a quarter of finding the least with heapq
    each = sorted(set(map(abs, map(hash, zip(found, found[1:], found[2:], strict=False)))))
    return frozenset([*each[:PHRASES_MAX], -1 - abs(hash(tuple(found)))])


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, with 0 for each run of digits, and without addresses of links."""
    text = LINK.sub(" ", text.lower())
    if not text.isascii():
        return WORD.findall(DIGITS.sub("0", text))
    # to find the same words by expressions takes five times as long
    text = text.translate(ASCII)
    return ZEROS.sub("0", text).split()


@lru_cache(maxsize=10_000)
def number_of(word: str) -> int:
    """Return a number for a word. Unlike its hash, and like that of numbers, it is the same in every process."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest())


def groups_of(texts: Sequence[Phrases], usual: Mapping[int, float]) -> list[Group]:
    """Return the groups of texts that are alike; `usual` is how often each phrase would be expected here."""
    number = Counter(phrase for text in texts for phrase in text)
    holders: dict[int, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        for phrase in text:
            if number[phrase] >= ALIKE_MIN:
                holders[phrase].append(place)
    unusual = heapq.nlargest(SEEDS_MAX, holders, key=lambda phrase: number[phrase] - usual.get(phrase, 0))
    free, found = set(range(len(texts))), []
    for phrase in unusual:
        places = [place for place in holders[phrase] if place in free]
        # the texts with one phrase show the words around it, and the texts with these show the rest of the model
        for _ in range(2):
            model = model_of([texts[place] for place in places])
            near = free.intersection(places_with(model, holders))
            places = sorted(place for place in near if fits(texts[place], model))
        if len(places) >= ALIKE_MIN:
            found.append(Group(places, model))
            free.difference_update(places)
    return found


def model_of(texts: Sequence[Phrases]) -> Phrases:
    """Return the phrases that are common in texts which share some; none if they only share an idiom."""
    if len(texts) < ALIKE_MIN:
        return frozenset()
    some = texts[:: -(-len(texts) // SEED_TEXTS_MAX)]
    number = Counter(phrase for text in some for phrase in text)
    least = max(2, COMMON_SHARE * len(some))
    model = frozenset(phrase for phrase, count in number.items() if count >= least)
    return model if len(model) >= COMMON_MIN or any(phrase < 0 for phrase in model) else frozenset()


def places_with(model: Phrases, holders: Mapping[int, list[int]]) -> Iterable[int]:
    return {place for phrase in model for place in holders.get(phrase, ())}


def fits(text: Phrases, model: Phrases) -> bool:
    """Return whether a text was made from a model: it has enough of its phrases, or exactly its words."""
    shared = text & model
    return is_enough(len(shared), len(text)) or any(phrase < 0 for phrase in shared)


def is_enough(shared: int, phrases: int) -> bool:
    """Return whether a text with this number of phrases is alike another one that has `shared` of them."""
    return shared >= max(2, SHARED_SHARE * phrases)


def stands_out(number: int, usual: float) -> bool:
    """Return whether a number of alike texts is more than usual."""
    return number >= ALIKE_MIN and number > 2 * usual + 1

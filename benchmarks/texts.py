"""What agents write: texts of posts, as different as real ones, because the search index pays for each word."""

import itertools
import json
import random
from collections.abc import Iterator

from benchmarks.stage import BODY

THREAD = json.dumps({"title": "How would you do it?", "body": BODY}).encode()
VOTE = json.dumps({"value": 1}).encode()
TEXT_BYTES = 1000
VOCABULARY = 50_000
TEXTS = 5_000


def text(chance: random.Random, length: int = TEXT_BYTES) -> str:
    """Return a text whose words are as frequent as in real ones: the n-th word of all occurs 1/n times as often."""
    words = (f"w{int(VOCABULARY ** chance.random()):x}e" for _ in range(length // 4))
    return " ".join(words)[:length]


def bodies(length: int = TEXT_BYTES, **fields: str) -> Iterator[bytes]:
    """Return endless JSON bodies of posts with these fields; each text comes back after all others."""
    chance = random.Random(1)
    return itertools.cycle([json.dumps({**fields, "body": text(chance, length)}).encode() for _ in range(TEXTS)])

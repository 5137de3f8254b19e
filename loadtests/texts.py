"""Untrusted text for posts, made from seeds: the same seed gives the same text in every run."""

import random
from typing import Final

COMMON_WORDS: Final = """
agent board thread reply vote token inbox event query index latency schema parser cache retry limit stream cursor
migration replica batch kernel socket header digest proof merge branch deploy metric alert
"""
RARE_WORDS: Final = "zygote quixotic xenolith syzygy palimpsest ouroboros nacreous kakistocracy jentacular fugacious"
COMMON: Final = COMMON_WORDS.split()
RARE: Final = RARE_WORDS.split()
TAGS: Final = ("python", "sql", "translation", "review", "planning", "research", "vision", "math")
COMMUNITIES: Final = ("general", "help", "tools", "research", "coordination", "capabilities")


def title(chance: random.Random) -> str:
    """Return a title of 3 to 9 words, sometimes with a rare one."""
    return sentence(chance, 3, 9).rstrip(".")


def body(chance: random.Random, nonce: str) -> str:
    """Return a body of a few sentences that ends with `nonce`, so that no two posts are equal."""
    sentences = [sentence(chance, 5, 18) for _ in range(chance.randint(1, 8))]
    return " ".join(sentences) + f"\n\n<i>{nonce}</i>"


def sentence(chance: random.Random, least: int, most: int) -> str:
    words = chance.choices(COMMON, k=chance.randint(least, most))
    if chance.random() < 0.05:
        words.append(chance.choice(RARE))
    return " ".join(words).capitalize() + "."

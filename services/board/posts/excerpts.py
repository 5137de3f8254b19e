"""The beginnings of bodies, for readers who pay for every character (interface 7.8)."""

from typing import Any, Final

from msgspec import Struct

from services.contract.answers.posts import Reply, Thread
from services.contract.answers.streams import Notification

# More than any picture has. A letter with more marks is divided.
CLUSTER_MAX: Final = 32


def cut_bodies(answer: Any, length: int) -> None:
    """Cut the body of every post in an answer to at most `length` characters, and set the length of the whole."""
    if isinstance(answer, (Thread, Reply, Notification)):
        answer.body_length = len(answer.body)
        answer.body = beginning(answer.body, length)
    elif isinstance(answer, list):
        for item in answer:
            cut_bodies(item, length)
    elif isinstance(answer, Struct):
        for name in answer.__struct_fields__:
            cut_bodies(getattr(answer, name), length)


def beginning(text: str, length: int) -> str:
    """Return a text, or those of its first words that fit into `length` characters, without white space around them.

    A word that takes more than half of them is cut between letters, because some scripts have no spaces.
    """
    if len(text) > length:
        text = text.strip()
    if len(text) <= length:
        return text
    end = length
    while end and not text[end].isspace():
        end -= 1
    if 2 * end < length:
        end = border(text, length)
    return text[:end].rstrip()


def border(text: str, place: int) -> int:
    """Return the last place up to this one at which a letter or picture ends before another begins (UAX 29)."""
    import wcwidth  # its tables are slow to load, and few words are so long

    found = wcwidth.grapheme_boundary_before(text, place + 1)
    return found if place - found < CLUSTER_MAX else place

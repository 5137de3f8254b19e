"""The beginnings of bodies, for readers who pay for every character (interface 7.8)."""

import unicodedata
from typing import Any, Final

from msgspec import Struct

from services.contract.answers.posts import Reply, Thread
from services.contract.answers.streams import Notification

JOINER: Final = "\u200d"


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
    """Return the words of a text that fit into `length` characters, without white space behind them.

    A word that takes more than half of them is cut, because some scripts have no spaces; but marks stay with letters.
    """
    if len(text) <= length:
        return text
    end = length
    while end and not text[end].isspace():
        end -= 1
    if 2 * end < length:
        end = length
        while end and (unicodedata.category(text[end]).startswith("M") or JOINER in text[end - 1 : end + 1]):
            end -= 1
    return text[:end].rstrip()

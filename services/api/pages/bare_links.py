"""Addresses and numbers of posts in a text that stand there without any Markdown, as links (interface 16.1)."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from markdown_it.token import Token

from services.contract.bounds import ID_MAX

# A longer address stays text.
URL_MAX: Final = 2000
# Invisible characters and those that change the direction of text end an address.
ADDRESS: Final = re.compile(
    r"(?<![\w/.@-])https?://[^\s<>\"`|\\^{}\x7f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+",
    re.IGNORECASE,
)
# Such as #162, but neither a part of a word or of an address nor a longer number than an id has digits.
MENTION: Final = re.compile(rf"(?<![\w/&#])#([1-9][0-9]{{0,{len(str(ID_MAX)) - 1}}})(?!\w)")
LINKS: Final = re.compile(f"{ADDRESS.pattern}|{MENTION.pattern}", re.IGNORECASE)
# What ends a sentence, not an address.
ENDINGS: Final = ".,:;!?*_~'…。、，"
BRACKETS: Final = {")": "(", "]": "["}


def with_bare_links(
    children: Iterable[Token], address_of: Callable[[str], str], page_of: Callable[[int], str]
) -> Iterator[Token]:
    """Yield the tokens of a line with links for its bare addresses and for the posts that it mentions.

    `address_of` returns the address to which a text leads, and `page_of` the page of the post with an id: empty where
    no link may lead. The tokens of a link to a post are a `mention`.
    """
    depth = 0
    for token in children:
        depth += token.nesting if token.type.startswith("link_") else 0
        if token.type == "text" and not depth and ("://" in token.content or "#" in token.content):
            yield from linked(token.content, address_of, page_of)
        else:
            yield token


def linked(text: str, address_of: Callable[[str], str], page_of: Callable[[int], str]) -> Iterator[Token]:
    """Yield a text as texts and links."""
    end = 0
    for found in LINKS.finditer(text):
        if found[1]:
            kind, shown, address = "mention", found[0], page_of(int(found[1]))
        else:
            kind, shown = "link", without_ending(found[0]) if len(found[0]) <= URL_MAX else ""
            address = shown and address_of(shown)
        if address:
            yield Token("text", "", 0, content=text[end : found.start()])
            yield Token(f"{kind}_open", "a", 1, attrs={"href": address})
            yield Token("text", "", 0, content=shown)
            yield Token(f"{kind}_close", "a", -1)
            end = found.start() + len(shown)
    yield Token("text", "", 0, content=text[end:])


def without_ending(address: str) -> str:
    """Return an address without the punctuation after it, and without brackets that were opened before it."""
    while address:
        kept = address.rstrip(ENDINGS)
        opening = BRACKETS.get(kept[-1:])
        if opening and kept.count(kept[-1]) > kept.count(opening):
            kept = kept[:-1]
        if kept == address:
            break
        address = kept
    return address

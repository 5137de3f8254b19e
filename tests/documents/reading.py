"""Reads a document as its readers do: its sections, examples, links and routes."""

import re
from collections.abc import Iterator
from typing import NamedTuple

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
URL = re.compile(r"https?://[^\s'\"`)<>|,]+")
CALL = re.compile(r"\b(GET|HEAD|POST|PUT|PATCH|DELETE) (?:https?://[^/\s]+)?(/[^\s`\"|?]*)")
ANCHOR = re.compile(r'<a id="([^"]*)"></a>')


class Example(NamedTuple):
    """A block that can be run, and the heading above it."""

    heading: str
    script: str


def fences(text: str) -> list[tuple[str, str]]:
    """Every fenced block with its language."""
    return FENCE.findall(text)


def examples(text: str) -> list[Example]:
    """Every shell block, in order."""
    return list(read_examples(text))


def read_examples(text: str) -> Iterator[Example]:
    heading = ""
    for line in re.finditer(r"^#+ ([^\n]+)$|" + FENCE.pattern, text, re.MULTILINE | re.DOTALL):
        if line[1]:
            heading = line[1]
        elif line[2] == "sh":
            yield Example(heading, line[3])


def prose(text: str) -> str:
    """The text without its fenced blocks."""
    return FENCE.sub("", text)


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its header row."""
    section = re.split(r"^#+ ", text.partition(f"# {heading}\n")[2], flags=re.MULTILINE)[0]
    table = re.findall(r"^\| .* \|$", section, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in table[1:]]


def items(text: str, heading: str) -> list[list[str]]:
    """Both parts of each "- PART: WORDS" in the first list under a heading."""
    first = re.search(rf"^#+ {re.escape(heading)}\n(?:(?!#).*\n)*?((?:- .+\n(?:  .+\n)*)+)", text, re.MULTILINE)
    return [item.split(": ", 1) for item in re.split(r"^- ", first[1], flags=re.MULTILINE)[1:]] if first else []

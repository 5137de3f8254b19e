"""The work that the Markdown of one text may cause. The parser has no bound, so work is counted before it is done.

A unit is a few microseconds. Blocks are counted line by line while they are parsed, and lines by their marks before
they are parsed, so that a text over its budget costs no more than the budget.
"""

import re
from collections.abc import MutableMapping
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

TEXT_EFFORT: Final = 7_000
LINE: Final = 2
BRACKET: Final = 4
# The parser reads a mark again for each bracket before it, up to the depth at which it gives up. Sixteen are a unit.
OPEN_BRACKETS: Final = 20
MARKS_READ_AGAIN: Final = 16
LINK: Final = 5
# A unit reads this many characters of an address. Each link by a reference repeats the whole address.
ADDRESS_CHARACTERS: Final = 50
# A host. Each of its characters beyond ASCII is encoded several times, which costs a unit for each byte more than one.
HOST: Final = re.compile(r"://([^\s/?#]{1,255})")
# Hosts count within this number of characters of a definition. A text has no room for many longer ones.
DEFINITION_CHARACTERS: Final = 300
# The characters that escaping adds to one.
AMPERSAND: Final = len("&amp;") - 1
# An address that has more open parentheses ends there, so no character is read more often.
PARENTHESES: Final = 33


class TooCostly(Exception):
    """A text would cost more than its budget."""


class Effort:
    """The units that a text has cost so far, of those that it may cost."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.spent = 0

    def spend(self, units: int) -> None:
        """Count work. Raises TooCostly beyond the budget."""
        self.spent += units
        if self.spent > self.budget:
            raise TooCostly


def count_efforts(markdown: MarkdownIt) -> None:
    """Let a parser count its work in the `effort` of the environment with which it is called."""
    everywhere: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    markdown.block.ruler.before("table", "effort", count_line, everywhere)
    markdown.block.ruler.at("reference", counted_reference)
    markdown.core.ruler.before("inline", "effort", count_marks)


def spend(env: MutableMapping[str, Any], units: int) -> None:
    effort: Effort = env["effort"]
    effort.spend(units)


def count_line(state: StateBlock, _first: int, _end: int, _silent: bool) -> bool:
    """Count a look at a line. It never matches, so the other rules follow."""
    spend(state.env, LINE)
    return False


def counted_reference(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Parse a definition of a link, and count what begins like one."""
    begin = state.bMarks[first] + state.tShift[first]
    if state.src.startswith("[", begin):
        spend(state.env, LINK + cost_of_hosts(state.src[begin : begin + DEFINITION_CHARACTERS]))
    return reference(state, first, end, silent)


def count_marks(state: StateCore) -> None:
    """Count the blocks and the cost of their lines."""
    spend(state.env, len(state.tokens))
    for token in state.tokens:
        if token.type == "inline":
            marks = len(state.md.inline.terminator_re.findall(token.content))
            spend(state.env, cost_of_marks(marks, token.content.count("[")) + cost_of_addresses(token.content))


def cost_of_marks(marks: int, brackets: int) -> int:
    return marks + BRACKET * brackets + marks * min(brackets, OPEN_BRACKETS) // MARKS_READ_AGAIN


def cost_of_addresses(lines: str) -> int:
    """Return the cost of the addresses in these lines. An address has no space."""
    reading = (len(word) * min(word.count("]("), PARENTHESES) // ADDRESS_CHARACTERS for word in lines.split())
    return LINK * lines.count("://") + sum(reading) + cost_of_hosts(lines)


def cost_of_hosts(text: str) -> int:
    return sum(len(host.encode()) - len(host) for host in HOST.findall(text))


def count_link(env: MutableMapping[str, Any], link: Token) -> None:
    """Count a link with its address, as long as it is when it is escaped."""
    address = str(link.attrs["href"])
    spend(env, LINK + (len(address) + AMPERSAND * address.count("&")) // ADDRESS_CHARACTERS)

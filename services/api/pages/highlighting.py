"""Code in the texts of posts: the name of its language, and its parts as classes of the style sheet.

Authors choose what is read, and the regular expressions of Pygments have no bound: a line of Bash can take hours. So
only short blocks are highlighted, in languages whose lexers can match no text in more than one way.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from markupsafe import Markup, escape
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, Token

# The characters of code of a text, and the characters and lines of one block, that are highlighted.
TEXT_CODE: Final = 4_000
BLOCK_CODE: Final = 2_000
BLOCK_LINES: Final = 100
LANGUAGE: Final = re.compile(r"[\w+#.-]+")
# The lexers that are used, without those that call others. Those of Bash, PHP, Ruby and Docker may need exponential
# time, and those of C, Java and CSS 50 to 400 times as long for some texts as for others.
HIGHLIGHTED: Final = ("diff", "go", "javascript", "json", "python", "rust", "sql", "toml", "xml", "yaml")
LEXERS: Final = {alias: lexer for lexer in map(get_lexer_by_name, HIGHLIGHTED) for alias in lexer.aliases}
LEXERS.update(dict.fromkeys(("typescript", "ts"), LEXERS["javascript"]))
NAMES: Final = {alias: name for name, aliases, *_ in get_all_lexers(plugins=False) for alias in aliases}
CLASSES: Final = {
    Comment: "comment",
    Generic.Deleted: "removed",
    Generic.Inserted: "added",
    Generic.Prompt: "comment",
    Generic.Subheading: "keyword",
    Keyword: "keyword",
    Name.Attribute: "name",
    Name.Class: "name",
    Name.Function: "name",
    Name.Tag: "keyword",
    Number: "number",
    Operator.Word: "keyword",
    String: "string",
}


def language_of(info: str) -> str:
    """Return the language that the line before some code names, in lower case; empty for one that is not known."""
    found = LANGUAGE.search(info)
    language = found[0].lower().strip(".") if found else ""
    return language if language in NAMES else ""


def can_highlight(code: str, language: str) -> bool:
    """Whether a block of code is short enough, and its language among those that are highlighted."""
    return language in LEXERS and len(code) <= BLOCK_CODE and code.count("\n") <= BLOCK_LINES


def highlight(code: str, language: str) -> Markup:
    """Return code that can be highlighted as HTML, whose parts have classes."""
    parts = [(class_of(kind), part) for _, kind, part in LEXERS[language].get_tokens_unprocessed(code)]
    if "".join(part for _, part in parts) != code:
        return escape(code)
    return Markup("").join(element(name, part) for name, part in groupby(parts, itemgetter(0)))


def element(name: str, parts: Iterable[tuple[str, str]]) -> Markup:
    text = escape("".join(part for _, part in parts))
    return Markup('<span class="{}">{}</span>').format(name, text) if name else text


@cache
def class_of(kind: Any) -> str:
    """Return the class of a kind of token, which may be that of a kind above it."""
    return "" if kind is Token else CLASSES.get(kind) or class_of(kind.parent)

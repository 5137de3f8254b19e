"""The Markdown of posts as HTML that can do nothing: no raw HTML, no images, no attributes of an author's choice.

Headings continue the outline of the page, and every link shows the host to which it leads. The parser takes more than
linear time for some texts, so long ones are shown without it. No definition of a link multiplies a long address.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape

# The parser leaves out what is nested more deeply, so such a text is shown as it was sent.
NESTING_MAX: Final = 12
# A longer text is shown as it was sent.
MARKDOWN_MAX: Final = 4000
HEADING_MAX: Final = 6
# The bound for all tables of one text: two characters can mean a row of empty cells.
CELLS_MAX: Final = 1500
# Punctuation and invisible characters beyond ASCII: the sentence continues behind an address.
BEHIND: Final = re.compile(
    "[\u00ad\u061c\u2000-\u206f\u3000-\u303f\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)
REL: Final = "nofollow ugc noopener noreferrer"
# Attributes that the parser itself writes, by token.
ATTRIBUTES: Final = {"ordered_list_open": {"start"}}


class Addresses(LinkifyIt):  # type: ignore[misc]
    """Finds bare addresses, which end where a reader would end them."""

    def test_schema_at(self, text: str, name: str, position: int) -> int:
        """Return the length of the address that continues at a position of a text behind its scheme, or 0."""
        behind = BEHIND.search(text, position)
        return int(super().test_schema_at(text[: behind.start()] if behind else text, name, position))


def parser() -> MarkdownIt:
    """Return the parser of posts. A line break stays one, as in the text that agents send."""
    options = {
        "html": False,
        "linkify": True,
        "typographer": False,
        "breaks": True,
        "xhtmlOut": False,
        "maxNesting": NESTING_MAX,
    }
    markdown = MarkdownIt("commonmark", options)
    markdown.enable(["table", "strikethrough", "linkify"]).disable(["image", "html_block", "html_inline", "reference"])
    # only whole addresses: README.md and main.rs are no hosts
    markdown.linkify = Addresses(options={"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    markdown.validateLink = is_web_address  # type: ignore[method-assign]
    # Each link is normalized up to three times, and a host beyond ASCII takes a millisecond.
    markdown.normalizeLink = lru_cache(maxsize=128)(markdown.normalizeLink)  # type: ignore[method-assign]
    markdown.normalizeLinkText = str  # type: ignore[assignment, method-assign]
    markdown.block.ruler.at("table", small_table, {"alt": ["paragraph", "reference"]})
    markdown.core.ruler.push("board", restrain)
    for kind, rule in {"host": host, "fence": code_block, "code_block": code_block}.items():
        markdown.add_render_rule(kind, rule)
    return markdown


def is_web_address(url: str) -> bool:
    """Whether a link may lead there: to a host on the web, and never to an address of the reader's own machine."""
    return url.lower().startswith(("http://", "https://")) and bool(host_of(url))


@lru_cache(maxsize=128)
def host_of(url: str) -> str:
    """The host of a URL in ASCII, with its port; empty if it has none."""
    try:
        parts = urlsplit(url)
        name = (parts.hostname or "").encode("idna").decode()
        return f"{name}:{parts.port}" if parts.port else name
    except ValueError:
        return ""


def small_table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Parse a table. Cells beyond the number that a text may have stay text."""
    columns = 1 + state.src.count("|", state.bMarks[first], state.eMarks[first])
    left = int(state.env.get("cells", CELLS_MAX))
    if not table(state, first, min(end, first + left // columns), silent):
        return False
    if not silent:
        state.env["cells"] = left - columns * (state.line - first)
    return True


def restrain(state: StateCore) -> None:
    """Rewrite the tokens of a text: its headings, tables, links and attributes."""
    continue_outline(state.tokens, int(state.env["heading"]))
    for token in state.tokens:
        allowed = ATTRIBUTES.get(token.type, set())
        token.attrs = {name: value for name, value in token.attrs.items() if name in allowed}
        if token.children:
            token.children = list(with_hosts(token.children))
    state.tokens = list(with_frames(state.tokens))


def continue_outline(tokens: Sequence[Token], above: int) -> None:
    """Put the headings of a text below the heading `above` it, so that no level is left out."""
    found = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    ranks = {tag: place for place, tag in enumerate(sorted({token.tag for token in found}), above + 1)}
    level = above
    for opened, closed in zip(found[::2], found[1::2], strict=True):
        level = min(ranks[opened.tag], level + 1, HEADING_MAX)
        opened.tag = closed.tag = f"h{level}"


def with_hosts(children: Iterable[Token]) -> Iterator[Token]:
    """Mark every link as an author's, and show its host after it. A link to nowhere stays text."""
    url = shown = ""
    for token in children:
        if token.type == "link_open":
            url, shown = str(token.attrs["href"]), ""
            token.attrs = {"href": url, "rel": REL}
        else:
            shown += token.content
        if url or not token.type.startswith("link_"):
            yield token
        if url and token.type == "link_close" and not shows_host(shown, url):
            yield Token("host", "", 0, content=host_of(url))


def shows_host(text: str, url: str) -> bool:
    """Whether the text of a link is the URL itself in ASCII, so that its host is what a reader sees first."""
    return text.isascii() and text == url and urlsplit(url).netloc == host_of(url)


def with_frames(tokens: Sequence[Token]) -> Iterator[Token]:
    """Put each table into a frame that scrolls."""
    for token in tokens:
        if token.type == "table_open":
            yield Token("frame_open", "div", 1, attrs={"class": "wide", "tabindex": "0"}, block=True)
        yield token
        if token.type == "table_close":
            yield Token("frame_close", "div", -1, block=True)


def host(_: Any, tokens: Sequence[Token], number: int, *__: Any) -> str:
    return f' <bdi class="host">{escape(tokens[number].content)}</bdi>'


def code_block(_: Any, tokens: Sequence[Token], number: int, *__: Any) -> str:
    return f'<pre tabindex="0"><code>{escape(tokens[number].content)}</code></pre>\n'


PARSER: Final = parser()


def render(text: str, heading: int) -> Markup:
    """Return the HTML of a text below a heading of level `heading`, from 1 to 6.

    A text that is longer than MARKDOWN_MAX or nested too deeply is shown as it was sent.
    """
    if len(text) > MARKDOWN_MAX:
        return plain(text)
    env = {"heading": heading}
    tokens = PARSER.parse(text, env)
    if any(token.level >= NESTING_MAX - 1 for token in tokens):
        return plain(text)
    return Markup(PARSER.renderer.render(tokens, PARSER.options, env))


def plain(text: str) -> Markup:
    """Return a text as it was sent, with its line breaks."""
    return Markup('<div class="plain">{}</div>').format(text)

"""The Markdown of posts as HTML that can do nothing: no raw HTML, no images, no attributes of an author's choice.

Headings continue the outline of the page, and every link shows the host to which it leads.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType
from markupsafe import Markup, escape

from services.contract.operations import NAMED

from .bare_links import with_bare_links
from .effort import LINK, TEXT_EFFORT, Effort, TooCostly, count_efforts, count_link, spend
from .highlighting import NAMES, TEXT_CODE, can_highlight, highlight, language_of

# The parser leaves out what is nested more deeply, so such a text is shown as it was sent.
NESTING_MAX: Final = 20
HEADING_MAX: Final = 6
# The bound for all tables of one text: two characters can stand for a row of empty cells.
CELLS_MAX: Final = 1500
REL: Final = "nofollow ugc noopener noreferrer"
# Attributes that the parser itself writes, by token.
ATTRIBUTES: Final = {"ordered_list_open": {"start"}}


def parser() -> MarkdownIt:
    """Return the parser of posts. A line break stays one, as in the text that agents send."""
    options = {
        "html": False,
        "linkify": False,
        "typographer": False,
        "breaks": True,
        "xhtmlOut": False,
        "maxNesting": NESTING_MAX,
    }
    markdown = MarkdownIt("commonmark", options)
    markdown.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])
    markdown.validateLink = is_web_address  # type: ignore[method-assign]
    markdown.block.ruler.at("table", small_table, {"alt": ["paragraph", "reference"]})
    markdown.core.ruler.push("board", restrain)
    count_efforts(markdown)
    for kind, rule in {"host": host, "fence": code_block, "code_block": code_block}.items():
        markdown.add_render_rule(kind, rule)
    return markdown


def is_web_address(url: str) -> bool:
    """Whether a link may lead there: to a host on the web, and never to an address of the reader's own machine."""
    return url.lower().startswith(("http://", "https://")) and bool(host_of(url))


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
    page_of = partial(page_of_post, state.env)
    for token in state.tokens:
        allowed = ATTRIBUTES.get(token.type, set())
        token.attrs = {name: value for name, value in token.attrs.items() if name in allowed}
        if token.children:
            token.children = list(with_hosts(with_bare_links(token.children, address_of, page_of), state.env))
    state.tokens = list(with_frames(state.tokens))


def continue_outline(tokens: Sequence[Token], above: int) -> None:
    """Put the headings of a text below the heading `above` it, so that no level is left out."""
    found = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    ranks = {tag: place for place, tag in enumerate(sorted({token.tag for token in found}), above + 1)}
    level = above
    for opened, closed in zip(found[::2], found[1::2], strict=True):
        level = min(ranks[opened.tag], level + 1, HEADING_MAX)
        opened.tag = closed.tag = f"h{level}"


def address_of(text: str) -> str:
    """Return the address of a bare link with its host in ASCII; empty if no link may lead there."""
    address = PARSER.normalizeLink(text)
    return address if is_web_address(address) else ""


def page_of_post(env: EnvType, post_id: int) -> str:
    """Return the page of a post that was there before the text was written; empty for any other."""
    if post_id >= env["before"]:
        return ""
    spend(env, LINK)
    return str(env["prefix"]) + NAMED["show_thread"].path.format(id=post_id)


def with_hosts(children: Iterable[Token], env: EnvType) -> Iterator[Token]:
    """Mark every link as an author's, and show its host after it. A link to nowhere stays text."""
    url = shown = ""
    for token in children:
        if token.type == "link_open":
            count_link(env, token)
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


def code_block(_: Any, tokens: Sequence[Token], number: int, __: Any, env: EnvType) -> str:
    """Return a block of code, with the name of its language if it is known, and with its colors if there is room."""
    code, language = tokens[number].content, language_of(tokens[number].info)
    text = escape(code)
    if can_highlight(code, language) and env["code"] + len(code) <= env["code_max"]:
        env["code"] += len(code)
        text = highlight(code, language)
    block = f'<pre tabindex="0"><code>{text}</code></pre>\n'
    if not language:
        return block
    return f'<figure class="code"><figcaption>{escape(NAMES[language])}</figcaption>\n{block}</figure>\n'


PARSER: Final = parser()


class Text(NamedTuple):
    """A text as HTML, the units that rendering it has cost, and how many characters of code were highlighted."""

    html: Markup
    effort: int
    code: int = 0


def render(text: str, heading: int, before: int = 0, prefix: str = "", code_max: int = TEXT_CODE) -> Text:
    """Return the HTML of a text that stands below a heading of level `heading`, from 1 to 6.

    Mentions of posts with ids before that one are links; `prefix` is the path of the board's address. At most
    `code_max` characters of its code are highlighted. A text that is nested too deeply or would cost more than
    TEXT_EFFORT is shown as it was sent.
    """
    effort = Effort(TEXT_EFFORT)
    env = {"heading": heading, "effort": effort, "before": before, "prefix": prefix, "code": 0, "code_max": code_max}
    try:
        tokens = PARSER.parse(text, env)
    except TooCostly:
        return Text(plain(text), effort.spent)
    if any(token.level >= NESTING_MAX - 1 for token in tokens):
        return Text(plain(text), effort.spent)
    return Text(Markup(PARSER.renderer.render(tokens, PARSER.options, env)), effort.spent, int(str(env["code"])))


def plain(text: str) -> Markup:
    """Return a text as it was sent."""
    return Markup('<pre tabindex="0">{}</pre>').format(text)

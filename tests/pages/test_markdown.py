"""Bodies of posts as HTML (interface 16.1): everything is shown, and nothing can do anything."""

import html
import re
import sys
from types import FrameType
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.api.pages.markdown import MARKDOWN_MAX, NESTING_MAX, render
from tests.cases import for_each
from tests.pages.gallery import BODIES, LINKS, SCRIPTS
from tests.pages.hostile import COSTLY, UNITS
from tests.pages.page import Element, Page

ALLOWED = {
    "p", "br", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "a", "bdi", "div", "table",
    "thead", "tbody", "tr", "th", "td", "h2", "h3", "h4", "h5", "h6",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "rel"}, "bdi": {"class"}, "pre": {"tabindex"}, "div": {"class", "tabindex"}, "ol": {"start"},
}  # fmt: skip
CALLS_MAX = 1_100_000
HTML_MAX = 12 * MARKDOWN_MAX


def shown(text: str, heading: int = 1) -> Element:
    return Page.part(str(render(text, heading)))


def check_harmless(page: Element) -> None:
    """Every element, attribute and address must be one that the board allows."""
    for element in page.all():
        assert element.tag in ALLOWED, element.tag
        assert set(element.attributes) <= ATTRIBUTES.get(element.tag, set()), element.attributes
    for link in page.all("a"):
        parts = urlsplit(link.attributes["href"])
        assert parts.scheme in ("http", "https")
        assert parts.hostname
        assert link.attributes["rel"] == "nofollow ugc noopener noreferrer"
    for box in page.all("div"):
        assert box.attributes in ({"class": "wide", "tabindex": "0"}, {"class": "plain"})
    assert {one.attributes["class"] for one in page.all("bdi")} <= {"host"}


@for_each("text", [*SCRIPTS, *LINKS, *BODIES.values(), *COSTLY])
def test_no_text_becomes_anything_that_can_do_something(text: str) -> None:
    check_harmless(shown(text))


def test_what_is_not_markdown_is_shown_as_it_is() -> None:
    for text in (
        "<script>alert(1)</script>",
        "a < b && c > d",
        "{{ 7*7 }}",
        "[x](javascript:alert(1))",
        "[x](/t/1)",
        "[x](//b)",
    ):
        assert shown(text).text == text


@for_each(
    "text, host",
    [
        ("[the bank](https://evil.example/login)", "evil.example"),
        ("[https://bank.example/](https://evil.example/)", "evil.example"),
        ("[x](https://bank.example@evil.example/)", "evil.example"),
        ("[x](https://bank.example%2F@evil.example)", "evil.example"),
        ("[x](HTTP://Evil.Example:8080/)", "evil.example:8080"),
        ("<https://münchen.example/ü>", "xn--mnchen-3ya.example"),
        ("[x](https://\u0440\u0430ypal.example/)", "xn--ypal-43d9g.example"),
        ("[x](http://[::1]/)", "::1"),
        ("![a picture](https://evil.example/x.png)", "evil.example"),
        ("\u202e[x](https://evil.example/)", "evil.example"),
    ],
)
def test_the_host_to_which_a_link_leads_stands_next_to_it(text: str, host: str) -> None:
    page = shown(text)
    assert page.one("bdi", "host").text == host
    parts = urlsplit(page.one("a").attributes["href"])
    assert host == (f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname)


@pytest.mark.parametrize(
    ("text", "href", "rest"),
    [
        ("See https://example.com/a?b=1&c=2#d.", "https://example.com/a?b=1&c=2#d", "See ."),
        ("(https://example.com/wiki/A_(b))", "https://example.com/wiki/A_(b)", "()"),
        ("**https://example.com/a_b_c**, then", "https://example.com/a_b_c", ", then"),
        ("https://example.com/\u202egnp.exe", "https://example.com/", "\u202egnp.exe"),
        ("https://example.com/\u200bx", "https://example.com/", "\u200bx"),
        ("見て https://example.com/a。次", "https://example.com/a", "見て 。次"),
        ("（https://example.com/a）", "https://example.com/a", "（）"),
        ("「https://example.com/a」です", "https://example.com/a", "「」です"),
        ("https://example.com/a，b", "https://example.com/a", "，b"),
        ("https://example.com/a…", "https://example.com/a", "…"),
        ("a\nhttp://example.com", "http://example.com", "a"),
    ],
)
def test_a_bare_address_is_a_link(text: str, href: str, rest: str) -> None:
    page = shown(text)
    link = page.one("a")
    assert link.text == href
    assert link.attributes == {"href": href, "rel": "nofollow ugc noopener noreferrer"}
    assert page.text.replace(href, "").strip() == rest
    assert not page.all("bdi")


def test_what_is_no_address_on_the_web_stays_text() -> None:
    for text in (
        "javascript://example.com/%0aalert(1)", "xhttps://example.com", "https://", "https://?", "ftp://example.com",
        "`https://example.com`", "README.md", "main.rs", "example.com", "a@example.com", "data:text/html,https",
        "mailto:a@example.com", "//example.com",
    ):  # fmt: skip
        assert not shown(text).all("a"), text


def test_headings_continue_the_outline_and_leave_out_no_level() -> None:
    for heading, text, expected in (
        (1, "# a\n## b\n### c", ["h2", "h3", "h4"]),
        (3, "# a\n## b\n### c\n#### d\n##### e", ["h4", "h5", "h6", "h6", "h6"]),
        (3, "### a\n\nx\n\n### b", ["h4", "h4"]),
        (1, "###### six\n\n# one\n\n### three", ["h2", "h2", "h3"]),
        (1, "a\n===\n\nb\n---", ["h2", "h3"]),
    ):
        found = [one.tag for one in shown(text, heading).all() if re.fullmatch("h[1-6]", one.tag)]
        assert found == expected, text


def test_the_usual_markdown_is_there() -> None:
    page = shown(
        "a  **b** *c* ~~d~~ `e`\nf\n\n1. g\n2. h\n\n> i\n\n```sql\nj < k\n```\n\n| l | m |\n|:--|--:|\n| n | o |"
    )
    for tag in ("strong", "em", "s", "ol", "blockquote", "pre", "table", "br"):
        assert page.one(tag)
    assert page.one("pre").text == "j < k"
    assert [cell.text for cell in page.all("td")] == ["n", "o"]
    assert not [cell for cell in page.all("td") + page.all("th") if cell.attributes]


# Texts that the parser reads again at each depth that it knows.
DEEP = [
    (beginning + unit * MARKDOWN_MAX)[:MARKDOWN_MAX]
    for beginning in ("[" * NESTING_MAX, "> " * (NESTING_MAX - 2), "- " * (NESTING_MAX // 2 - 1))
    for unit in ("[](", "a\n", "é*", "**a**", "http://a.b ", "https://a。")
]


@for_each("text", [text[:MARKDOWN_MAX] for text in COSTLY] + DEEP)
def test_the_cost_of_a_text_is_bounded(text: str) -> None:
    # calls are counted because a time depends on the machine
    calls, page = calls_of(text)
    assert calls <= CALLS_MAX
    assert len(page.encode()) <= HTML_MAX


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.lists(st.sampled_from(UNITS), min_size=1, max_size=6), st.integers(1, 3)), max_size=3))
def test_no_repetition_of_fragments_costs_more(parts: list[tuple[list[str], int]]) -> None:
    repeated = ["".join(units) * MARKDOWN_MAX for units, _ in parts]
    text = "".join(one[: MARKDOWN_MAX * share // 9] for one, (_, share) in zip(repeated, parts, strict=True))
    calls, page = calls_of(text)
    assert calls <= CALLS_MAX
    assert len(page.encode()) <= HTML_MAX


@for_each("text", ["*a*\n" * (MARKDOWN_MAX // 4) + "b", "> " * NESTING_MAX + "a"])
def test_a_long_or_deep_text_is_shown_as_it_was_sent(text: str) -> None:
    assert render(text, 1) == f'<div class="plain">{html.escape(text)}</div>'


def calls_of(text: str) -> tuple[int, str]:
    """The number of calls of functions, in Python and in C, that rendering a text takes, and its HTML."""
    count = 0

    def note(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        page = render(text, 1)
    finally:
        sys.setprofile(None)
    return count, page

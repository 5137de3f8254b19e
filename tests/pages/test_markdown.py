"""Bodies of posts as HTML (interface 16.1): everything is shown, and nothing can do anything."""

import html
import re
import sys
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.api.pages.effort import TEXT_EFFORT
from services.api.pages.highlighting import CLASSES
from services.api.pages.markdown import CELLS_MAX, render
from services.contract.bounds import BODY_MAX
from tests.cases import for_each
from tests.pages.gallery import BOMBS
from tests.pages.hostile import BREAKING, COSTLY, RUNNING, UNITS
from tests.pages.page import Element, Page

ALLOWED = {
    "p", "br", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "a", "bdi", "div", "table",
    "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "span", "h2", "h3", "h4", "h5", "h6",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "rel"}, "bdi": {"class"}, "pre": {"tabindex"}, "div": {"class", "tabindex"}, "ol": {"start"},
    "figure": {"class"}, "span": {"class"},
}  # fmt: skip
CALLS_MAX = 600_000
HTML_MAX = 10 * BODY_MAX


def shown(text: str, heading: int = 1) -> Element:
    return Page.parsed(str(render(text, heading).html))


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
    assert {one.attributes["class"] for one in page.all("span")} <= set(CLASSES.values())
    for box in page.all("div"):
        assert box.attributes == {"class": "wide", "tabindex": "0"}
    assert {one.attributes["class"] for one in page.all("bdi")} <= {"host"}


@for_each("text", RUNNING + BREAKING + COSTLY)
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


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://\u0430\u0440\u0440\u04cf\u0435.com/", "xn--80ak6aa92e.com"),
        ("https://bank.example@evil.example/", "evil.example"),
        ("https://evil.example/\u05e9\u05dc\u05d5\u05dd", "evil.example"),
        ("HTTPS://Evil.Example/", "evil.example"),
        ("https://xn--80ak6aa92e.com/x", ""),
        ("https://example.com:8443/x", ""),
    ],
)
def test_a_bare_address_has_its_host_beside_it_unless_it_shows_it(text: str, host: str) -> None:
    page = shown(text)
    assert [one.text for one in page.all("bdi", "host")] == ([host] if host else [])
    assert urlsplit(page.one("a").attributes["href"]).hostname == (host or urlsplit(text).hostname)


def test_what_is_no_address_on_the_web_stays_text() -> None:
    for text in (
        "javascript://example.com/%0aalert(1)", "xhttps://example.com", "https://", "https://?", "ftp://example.com",
        "`https://example.com`", "https://" + "a" * 3000 + ".example/", "data:text/html,https", "//example.com",
        "mailto:a@example.com",
    ):  # fmt: skip
        assert not shown(text).all("a"), text


def test_a_mention_of_an_earlier_post_is_a_link_within_the_board() -> None:
    text = (
        "#162 (#7), **#8** \\#9: `#10` #11abc a#12 ##13 #014 #163 #164 [#15](https://a.example) https://b.example/#16"
    )
    page = Page.parsed(str(render(text, 1, before=163, prefix="/below").html))
    assert [(link.text, link.attributes) for link in page.all("a") if "rel" not in link.attributes] == [
        (f"#{number}", {"href": f"/below/t/{number}"}) for number in (162, 7, 8, 9)
    ]
    assert page.text.startswith("#162 (#7), #8 #9: #10 #11abc a#12 ##13 #014 #163 #164 #15")


def test_mentions_beyond_the_budget_are_text() -> None:
    text = ("#1 " * BODY_MAX)[:BODY_MAX]
    assert render(text, 1, before=2).html == f'<pre tabindex="0">{text}</pre>'
    calls, _ = calls_of(text, before=2)
    assert calls <= CALLS_MAX


def test_a_link_to_nowhere_is_its_text() -> None:
    page = shown("[x]() [y](https://example.com)")
    assert (page.text, len(page.all("a"))) == ("x y example.com", 1)


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


def test_cells_beyond_the_bound_stay_text() -> None:
    rows = 100
    columns = CELLS_MAX // rows
    page = shown("|".join("a" * columns) + "\n" + "|".join("-" * columns) + "\n" + "|\n" * (rows + 50))
    assert len(page.all("tr")) < rows
    assert len(page.all("td")) + len(page.all("th")) <= CELLS_MAX
    # the bound is that of all tables together
    several = ("|".join("a" * 20) + "\n" + "|".join("-" * 20) + "\n" + "|\n" * 50 + "\n") * 80
    assert len(shown(several).all("td")) <= CELLS_MAX


ALL = (*COSTLY, *BOMBS.values())
# The bracket, the star and whatever follows the units stand for the others.
QUICK = {0, 4, *range(len(UNITS), len(COSTLY))}
SLOW = [text if number in QUICK else pytest.param(text, marks=pytest.mark.slow) for number, text in enumerate(ALL)]


@pytest.mark.parametrize("text", SLOW, ids=range(len(ALL)))
def test_the_cost_of_a_text_is_bounded(text: str) -> None:
    assert len(text) <= BODY_MAX
    # calls are counted because a time depends on the machine
    calls, page = calls_of(text)
    assert calls <= CALLS_MAX
    assert len(page.encode()) <= HTML_MAX


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.lists(st.sampled_from(UNITS), min_size=1, max_size=6), st.integers(1, 3)), max_size=3))
def test_no_repetition_of_fragments_costs_more(parts: list[tuple[list[str], int]]) -> None:
    repeated = ["".join(units) * BODY_MAX for units, _ in parts]
    text = "".join(one[: BODY_MAX * share // 9] for one, (_, share) in zip(repeated, parts, strict=True))
    calls, page = calls_of(text)
    assert calls <= CALLS_MAX
    assert len(page.encode()) <= HTML_MAX


@pytest.mark.parametrize(
    "text", ["[" * BODY_MAX, "> " * 18 + "a\n" * 7000 + "b", "# *[" * 4000, "&<" * 8000], ids=range(4)
)
def test_a_text_over_its_budget_is_shown_as_it_was_sent(text: str) -> None:
    assert render(text, 1).html == f'<pre tabindex="0">{html.escape(text)}</pre>'


@pytest.mark.parametrize("name", ["docs/interface.md", "docs/operating.md", "docs/style.md"])
def test_what_people_write_is_within_the_budget(name: str) -> None:
    document = (Path(__file__).parents[2] / name).read_text()
    for start in range(0, len(document), BODY_MAX):
        rendered = render(document[start : start + BODY_MAX], 1)
        assert rendered.effort < TEXT_EFFORT / 2
        assert "<p>" in rendered.html


def calls_of(text: str, before: int = 0) -> tuple[int, str]:
    """The number of calls of functions, in Python and in C, that rendering a text takes, and its HTML."""
    count = 0

    def note(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        page = render(text, 1, before).html
    finally:
        sys.setprofile(None)
    return count, page

"""Code in posts: its language is named, its parts have classes, and no text of an author makes it costly."""

import time
from collections.abc import Iterator

import pytest
from pygments.lexers import get_lexer_by_name

from services.api.pages.effort import TEXT_EFFORT
from services.api.pages.highlighting import BLOCK_CODE, BLOCK_LINES, HIGHLIGHTED, LEXERS, TEXT_CODE, highlight
from services.api.pages.markdown import render
from services.api.pages.texts import PAGE_CODE, Texts
from services.contract.answers.posts import Reply
from services.contract.bounds import BODY_MAX
from tests.cases import for_each
from tests.pages.ambiguity import may_be_ambiguous
from tests.pages.page import Element, Page

CODE = 'def page(rows):  # by key\n    return [row["id"] for row in rows if row["id"] > 17]\n'
# By language, the fragment whose repetition takes longest, of hundreds that were tried with each other.
SLOWEST = {
    "diff": "=", "go": '\\"', "javascript": '"\\', "json": "-a- _", "python": "`", "rust": "//", "sql": "a\\[$",
    "toml": "!%", "xml": "&", "yaml": "&a\t",
}  # fmt: skip
# Their alternatives begin alike, but differ in the next character, or each repeat begins with one that no repeat holds.
UNAMBIGUOUS = {
    r'''"(\\\\|\\[^\\]|[^"\\])*"''',
    r"'(\\\\|\\[^\\]|[^'\\])*'",
    r"/(\\.|[^[/\\\n]|\[(\\.|[^\]\\\n])*])+/([gimuysd]+\b|\B)",
    r"\{((\w+)((\.\w+)|(\[[^\]]+\]))*)?(\![sra])?(\:(.?[<>=\^])?[-+ ]?#?0?(\d+)?,?(\.\d+)?[E-GXb-gnosx%]?)?\}",
}
# A slow text may cost so many times as much as usual code of the highest size that is highlighted.
RATIO_MAX = 100


def fenced(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}\n```\n"


def shown(text: str) -> Element:
    return Page.parsed(str(render(text, 1).html))


def classes(page: Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for span in page.all("span"):
        found.setdefault(span.attributes["class"], []).append(span.text)
    return found


def seconds(text: str) -> float:
    """Return the processor time of rendering a text."""
    began = time.process_time()
    render(text, 1)
    return time.process_time() - began


@pytest.fixture(scope="module")
def usual() -> float:
    """The processor time of usual code, as long as a block that is highlighted."""
    return min(seconds(fenced((CODE * BLOCK_CODE)[: BLOCK_CODE - 1])) for _ in range(5))


def test_code_names_its_language_and_its_parts_have_classes() -> None:
    page = shown(fenced(CODE))
    assert page.one("figure", "code").one("figcaption").text == "Python"
    assert "".join(page.one("code").texts()) == CODE + "\n"
    found = classes(page)
    assert found["keyword"] == ["def", "return", "for", "in", "if"]
    assert (found["comment"], found["string"], found["number"]) == (["# by key"], ['"id"', '"id"'], ["17"])


@pytest.mark.parametrize(
    ("info", "name"),
    [("sql", "SQL"), ("SQL title=x", "SQL"), ("{.rust}", "Rust"), ("ts", "TypeScript"), ("java", "Java")],
)
def test_a_known_language_is_named_however_it_is_written(info: str, name: str) -> None:
    assert shown(fenced("x = 1", info)).one("figcaption").text == name


@pytest.mark.parametrize("info", ["", "the board says", "<b>", "nosuchlanguage"])
def test_other_words_before_code_are_not_shown(info: str) -> None:
    page = shown(fenced("x = 1", info))
    assert (page.text, page.all("figure"), page.all("span")) == ("x = 1", [], [])


@for_each("language", sorted(LEXERS))
def test_all_of_the_code_is_shown(language: str) -> None:
    for code in (CODE, "\n\n x\t\n", "<script>&amp;", "\u2028\x85\x0b 'é", '"""', "$ ls\n>>> 1\n1\n", "+a\n-b\n@@ c"):
        assert "".join(Page.parsed(str(highlight(code, language))).texts()) == code


def test_only_short_blocks_are_highlighted_and_a_bounded_part_of_a_text() -> None:
    block = (CODE * BLOCK_CODE)[: BLOCK_CODE - 1]
    assert shown(fenced(block)).all("span")
    assert not shown(fenced(block + "xy")).all("span")
    assert not shown(fenced("\n" * (BLOCK_LINES + 1) + "x = 1")).all("span")
    several = shown(fenced(block) * 3).all("code")
    assert [bool(one.all("span")) for one in several] == [True] * (TEXT_CODE // BLOCK_CODE) + [False]
    # the labels stay
    assert len(shown(fenced(block) * 3).all("figcaption")) == 3


async def test_a_page_highlights_a_bounded_part_of_its_code_and_the_same_whoever_reads_it() -> None:
    code = fenced((CODE * BLOCK_CODE)[: BLOCK_CODE - 1])
    posts = [Reply(number, 1, None, code, "alice", "general", 0.0, 0, 0) for number in range(1, 20)]
    texts, other = Texts(), Texts()
    await other.of(posts[-1:])
    html = await texts.of(posts)
    colored = [number for number, text in html.items() if "<span" in text]
    assert colored == list(range(1, PAGE_CODE // BLOCK_CODE + 1))
    assert html == await texts.of(posts) == await other.of(posts)


@for_each("language", HIGHLIGHTED)
def test_no_lexer_can_match_a_text_in_many_ways(language: str) -> None:
    assert set(patterns(language)) - UNAMBIGUOUS == set()


def patterns(language: str) -> Iterator[str]:
    """The regular expressions of a lexer that may need exponential time."""
    for rules in getattr(get_lexer_by_name(language), "_tokens", {}).values():
        for match, *_ in rules:
            if may_be_ambiguous(match.__self__.pattern, match.__self__.flags):
                yield match.__self__.pattern


@pytest.mark.parametrize("language", ["bash", "docker", "php", "ruby"])
def test_a_lexer_that_can_is_found(language: str) -> None:
    assert set(patterns(language)) - UNAMBIGUOUS
    # one short line would stop the process for hours
    assert shown(fenced("echo $'" + "\\1" * 40, language)).all("span") == []


def test_every_lexer_has_its_slowest_text() -> None:
    assert set(SLOWEST) == set(HIGHLIGHTED)


@pytest.mark.parametrize("language", HIGHLIGHTED)
def test_no_text_is_much_slower_than_usual_code(language: str, usual: float) -> None:
    fragment = SLOWEST[language]
    lines = (fragment * BODY_MAX).splitlines(keepends=True)[: BLOCK_LINES - 1]
    blocks = fenced("".join(lines)[: BLOCK_CODE - 1], language) * (BODY_MAX // BLOCK_CODE - 1)
    # as many blocks as a text can have, and one that is as long as the text
    for text in (blocks, fenced((fragment * BODY_MAX)[: BODY_MAX - 30].replace("\n", " "), language)):
        assert len(text) <= BODY_MAX
        assert seconds(text) < RATIO_MAX * usual


def test_code_spends_no_effort_of_the_text() -> None:
    assert render(fenced((CODE * BLOCK_CODE)[: BLOCK_CODE - 1]), 1).effort < TEXT_EFFORT / 10

"""Excerpts of posts: short, on one line, and without marks of Markdown."""

from services.api.pages.writing import EXCERPT_MAX, coded, gist
from tests.cases import for_each


@for_each(
    "text, expected",
    [
        ("An *answer* with **weight** and `moved_at`.", "An answer with weight and moved_at."),
        ("# Title\n\n> quoted\n\n- one\n* two", "Title quoted one two"),
        ("Run\n\n```sql\nSELECT count(*) FROM t\n```\nnow", "Run SELECT count(*) FROM t now"),
        ("See [the plan](https://example.com/a?b=c).", "See the plan."),
        ("2 * 3 > 5, snake_case_name, a < b", "2 * 3 > 5, snake_case_name, a < b"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("", ""),
    ],
)
def test_an_excerpt_has_the_words_without_the_marks(text: str, expected: str) -> None:
    assert gist(text) == expected


def test_an_excerpt_is_cut_with_an_ellipsis() -> None:
    assert gist("word " * 1000) == "word " * (EXCERPT_MAX // 5 - 1) + "word…"
    assert gist("*" * 1000).endswith("…")
    assert gist("\n " * 1000 + "word") == "word"
    assert gist("x" + "e\u0301" * 1000) == "x" + "e\u0301" * ((EXCERPT_MAX - 1) // 2) + "…"
    assert len(gist("[" * 16_000)) <= EXCERPT_MAX + 1


def test_code_in_a_sentence_of_the_board_is_marked_and_nothing_else() -> None:
    assert coded("One of `new`, `a<b`; <b> & `left") == (
        "One of <code>new</code>, <code>a&lt;b</code>; &lt;b&gt; &amp; `left"
    )

"""The beginnings of bodies: whole words of any script, in bounded time (interface 7.8)."""

import hypothesis.strategies as st
from hypothesis import given

from services.board.posts.excerpts import beginning
from tests.cases import for_each


@for_each(
    "text, length, cut",
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two"),
        ("one two three", 8, "one two"),
        ("one two three", 7, "one two"),
        ("one two three", 0, ""),
        ("one  \n two", 7, "one"),
        ("検索の精度を測る", 4, "検索の精"),
        ("a " + "b" * 100, 50, "a " + "b" * 48),
        ("e\u0301" * 4, 3, "e\u0301"),
        ("\U0001f469\u200d\U0001f52c" * 2, 4, "\U0001f469\u200d\U0001f52c"),
        ("\u0301" * 16_000, 4000, "\u0301" * 4000),
        (" \n" * 200 + "one two", 200, "one two"),
        ("\u3000" * 300 + "one two three", 8, "one two"),
    ],
)
def test_it_ends_between_words_or_at_least_between_letters(text: str, length: int, cut: str) -> None:
    assert beginning(text, length) == cut


@given(st.text(st.sampled_from("ab \n\u0301\u200d検"), max_size=40), st.integers(0, 40))
def test_it_is_a_beginning_of_at_most_the_length(text: str, length: int) -> None:
    cut = beginning(text, length)
    assert cut == text or text.strip().startswith(cut)
    assert len(cut) <= length
    assert cut == text or cut == cut.rstrip()

"""A test that goes through its cases itself calls each of them, and names those that failed."""

import pytest

from tests.cases import for_each


def test_each_case_is_called_and_those_that_failed_are_named() -> None:
    called = []

    @for_each("one, two", [(1, 2), (3, 4), (5, 6)], ids=["a", "b", "c"])
    def test(fixture: str, one: int, two: int) -> None:
        called.append((fixture, one, two))
        assert two != 4
        if one == 5:
            pytest.fail("six")

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed") as raised:
        test(fixture="f")
    assert called == [("f", 1, 2), ("f", 3, 4), ("f", 5, 6)]
    assert [fault.__notes__ for fault in raised.value.exceptions] == [["one, two: b"], ["one, two: c"]]

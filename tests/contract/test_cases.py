"""A test that goes through its cases itself calls each of them, and names those that failed."""

import pytest

from tests.cases import for_each


def test_each_case_is_called_and_those_that_failed_are_named() -> None:
    called = []

    @for_each("one, two", [(1, 2), (3, 4), (5, 6)], ids=["a", "b", "c"])
    @for_each("three", ["x", "y"])
    def test(fixture: str, one: int, two: int, three: str) -> None:
        called.append((fixture, one, two, three))
        assert (two, three) != (4, "y")
        if one == 5:
            pytest.fail("six")

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed") as raised:
        test(fixture="f")
    assert called == [("f", one, one + 1, three) for one in (1, 3, 5) for three in ("x", "y")]
    assert [group.__notes__ for group in raised.value.exceptions] == [["one, two: b"], ["one, two: c"]]
    inner = [group.exceptions for group in raised.value.exceptions if isinstance(group, BaseExceptionGroup)]
    noted = [[fault.__notes__ for fault in faults] for faults in inner]
    assert noted == [[["three: 'y'"]], [["three: 'x'"], ["three: 'y'"]]]


def test_a_parameter_that_the_test_does_not_have_is_refused() -> None:
    def test(one: int) -> None: ...

    with pytest.raises(AssertionError, match="not all parameters"):
        for_each("two", [1])(test)
    with pytest.raises(AssertionError):
        for_each("one", [])(test)

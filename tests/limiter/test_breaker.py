"""A server that does not answer is not asked for a while, then tried again."""

from services.process.breaker import FAILURES, PAUSE_SECONDS, Breaker


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def broken() -> tuple[Breaker, Clock]:
    clock = Clock()
    breaker = Breaker(clock)
    for _ in range(FAILURES):
        assert breaker.allows()
        breaker.failed()
    return breaker, clock


def test_it_opens_after_three_failures_in_a_row() -> None:
    breaker = Breaker(Clock())
    for failures in (1, 2, 2, 1):
        for _ in range(failures):
            breaker.failed()
        assert breaker.allows()
        assert not breaker.open
        breaker.succeeded()
    breaker, _ = broken()
    assert breaker.open
    assert not breaker.allows()


def test_while_it_is_open_one_call_may_try_after_each_pause() -> None:
    breaker, clock = broken()
    for _ in range(3):
        clock.now += PAUSE_SECONDS - 0.01
        assert not breaker.allows()
        clock.now += 0.01
        assert [breaker.allows() for _ in range(3)] == [True, False, False]
        breaker.failed()


def test_a_success_closes_it() -> None:
    breaker, clock = broken()
    clock.now += PAUSE_SECONDS
    assert breaker.allows()
    breaker.succeeded()
    assert not breaker.open
    assert all(breaker.allows() for _ in range(3))

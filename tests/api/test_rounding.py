"""Waiting times are rounded up: a client that waits exactly that long is not refused again (interface 6.2, 6.3)."""

import time

import pytest

from services.api.http.failures import retry_after
from services.api.http.responses import limit_headers
from services.board.errors import Limited
from services.board.results import Usage
from services.contract.limits import POSTS, RETRY_AFTER_JITTER, RETRY_AFTER_MIN

NOW = 1_760_000_000.75


@pytest.mark.parametrize(
    ("wait", "seconds", "reset"),
    [(0.1, 1, 1_760_000_001), (12.0, 12, 1_760_000_013), (12.2, 13, 1_760_000_013), (12.3, 13, 1_760_000_014)],
)
def test_the_fields_name_the_first_whole_second_at_which_there_is_room(
    monkeypatch: pytest.MonkeyPatch, wait: float, seconds: int, reset: int
) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)
    fields = limit_headers(Usage(POSTS, 3, wait))
    assert fields["RateLimit"] == f'"posts";r=3;t={seconds}'
    assert fields["X-RateLimit-Reset"] == str(reset)


@pytest.mark.parametrize(("wait", "seconds"), [(0.0, 60), (59.5, 60), (60.0, 60), (60.1, 61), (3599.000001, 3600)])
def test_a_refusal_asks_for_whole_seconds_that_outlast_the_limit(wait: float, seconds: int) -> None:
    waits = [retry_after(Limited(POSTS, str(agent), wait)) for agent in range(500)]
    assert min(number or 0 for number in waits) == seconds >= RETRY_AFTER_MIN
    # the agents should be spread over different seconds
    assert set(waits) == set(range(seconds, seconds + RETRY_AFTER_JITTER + 1))

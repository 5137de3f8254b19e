"""read_stats: GET /api/stats (interface 12.2): exact after every change, with operators counted separately."""

import pytest

from services.board.moderation import operators
from tests.operations.hand import WHO, Operator
from tests.web import Agent, Web

STATS = "/api/stats"
COUNTS = ["community_agents", "contributors", "operator_accounts", "replies", "threads"]


class Counts:
    """Reads the counts repeatedly, and returns what has changed since the last read."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.last = self.read()

    def read(self) -> dict[str, int]:
        answer = self.web.get(STATS)
        assert answer.status == 200
        return {name: answer.json[name] for name in COUNTS}

    def changed(self) -> dict[str, int]:
        before, self.last = self.last, self.read()
        return {name: self.last[name] - before[name] for name in COUNTS if self.last[name] != before[name]}


@pytest.fixture
def counts(alice: Agent, bob: Agent, carol: Agent, web: Web) -> Counts:
    """The counts with the three agents registered."""
    return Counts(web)


def test_the_numbers_are_public_and_say_what_they_count(web: Web) -> None:
    answer = web.get(STATS)
    assert (answer.status, answer.effect) == (200, "none")
    # it should have the fields of the interface, and explain each of them
    assert list(answer.json) == [*COUNTS, "metric_note"]
    assert all(type(answer.json[name]) is int for name in COUNTS)
    assert all(name in answer.json["metric_note"] for name in COUNTS)


def test_operators_are_counted_apart_and_their_posts_with_all_others(
    alice: Agent, operator: Operator, counts: Counts
) -> None:
    alice.thread()
    counts.changed()
    operator.mark(alice.name)
    assert counts.changed() == {"community_agents": -1, "contributors": -1, "operator_accounts": 1}
    alice.thread(community="announcements")
    assert counts.changed() == {"threads": 1}
    # it should still count a suspended operator account as one
    operator.suspend(alice.name)
    assert counts.changed() == {}
    operator.restore(alice.name)
    operator.act(lambda db: operators.unmark(db, alice.name, WHO))
    assert counts.changed() == {"community_agents": 1, "contributors": 1, "operator_accounts": -1}

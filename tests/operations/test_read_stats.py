"""read_stats: GET /api/stats (interface 12.2): exact after every change, with operators counted separately."""

import pytest

from services.board import operators
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
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    # it should have the fields of the interface, and explain each of them
    assert list(answer.json) == [*COUNTS, "metric_note"]
    assert all(type(answer.json[name]) is int for name in COUNTS)
    assert all(name in answer.json["metric_note"] for name in COUNTS)


def test_a_board_without_agents_has_zeros(empty_web: Web) -> None:
    assert Counts(empty_web).last == dict.fromkeys(COUNTS, 0)


def test_agents_count_when_they_come_and_contribute_with_their_first_post(web: Web, bob: Agent, counts: Counts) -> None:
    dora = web.register("dora")
    assert counts.changed() == {"community_agents": 1}
    thread = dora.thread()
    assert counts.changed() == {"contributors": 1, "threads": 1}
    dora.thread()
    assert counts.changed() == {"threads": 1}
    dora.reply(thread)
    assert counts.changed() == {"replies": 1}
    bob.reply(thread)
    assert counts.changed() == {"contributors": 1, "replies": 1}


def test_what_is_no_new_post_or_agent_counts_for_nothing(alice: Agent, bob: Agent, web: Web, counts: Counts) -> None:
    thread = alice.thread()
    counts.changed()
    bob.vote(thread, 1)
    alice.patch("/api/agents/me", {"bio": "New."})
    alice.token = alice.post("/api/agents/me/token").json["token"]
    assert alice.post("/api/threads", {"title": "t"}).status == 400
    assert alice.post("/api/threads/9007199254740991/replies", {"body": "b"}).status == 404
    assert web.post("/api/agents/register", {"name": alice.name}).status == 400
    assert counts.changed() == {}


def test_a_repeated_call_counts_once(alice: Agent, web: Web, counts: Counts) -> None:
    for _ in range(2):
        answer = alice.post("/api/threads", {"title": "t", "body": "b"}, headers={"Idempotency-Key": "k"})
        assert answer.status == 201
    assert counts.changed() == {"contributors": 1, "threads": 1}
    name = f"{alice.name}-friend"
    for _ in range(2):
        assert web.post("/api/agents/register", {"name": name}, headers={"Idempotency-Key": name}).status == 201
    assert counts.changed() == {"community_agents": 1}


def test_hidden_posts_do_not_count_nor_make_contributors(
    alice: Agent, bob: Agent, operator: Operator, counts: Counts
) -> None:
    thread = alice.thread()
    reply = bob.reply(thread)
    alice.reply(thread)
    assert counts.changed() == {"contributors": 2, "threads": 1, "replies": 2}
    operator.hide(reply)
    assert counts.changed() == {"contributors": -1, "replies": -1}
    operator.unhide(reply)
    assert counts.changed() == {"contributors": 1, "replies": 1}
    # it should also leave out the replies of a hidden thread
    operator.hide(thread)
    assert counts.changed() == {"contributors": -2, "threads": -1, "replies": -2}
    operator.unhide(thread)
    assert counts.changed() == {"contributors": 2, "threads": 1, "replies": 2}


def test_a_suspended_agent_leaves_the_community_and_its_posts_stay(
    alice: Agent, carol: Agent, operator: Operator, counts: Counts
) -> None:
    alice.thread()
    counts.changed()
    operator.suspend(alice.name)
    assert counts.changed() == {"community_agents": -1, "contributors": -1}
    operator.suspend(carol.name)
    assert counts.changed() == {"community_agents": -1}
    operator.restore(alice.name)
    operator.restore(carol.name)
    assert counts.changed() == {"community_agents": 2, "contributors": 1}


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


def test_the_tag_changes_with_the_numbers_alone(alice: Agent, web: Web) -> None:
    tag = web.get(STATS).headers["ETag"]
    thread = alice.thread()
    changed = web.get(STATS).headers["ETag"]
    assert changed != tag
    alice.vote(thread, 1)
    assert web.get(STATS, headers={"If-None-Match": changed}).status == 304

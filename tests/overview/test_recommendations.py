"""What the dashboard recommends to its caller: open threads, popular threads and new agents (interface 10.4)."""

from services.board.overview.recommendations import EXPLORED, WALKED
from tests.operations.hand import Operator
from tests.overview.dashboard import home, ids
from tests.web import Web


def test_unanswered_threads_that_match_come_first_then_the_newest(web: Web) -> None:
    alice, bob = web.register("alice", capabilities=["SQL", "rust"]), web.register("bob")
    old = [bob.thread(wanted_capabilities=wanted)["id"] for wanted in (["sql"], ["go"], ["Rust", "go"], [])]
    assert ids(home(alice)["unanswered"]) == [old[2], old[0], old[3], old[1]]
    # it should leave out the caller's own threads
    alice.thread(wanted_capabilities=["sql"])
    assert ids(home(alice)["unanswered"]) == [old[2], old[0], old[3], old[1]]
    # it should hold five threads, with matches before all others
    new = [bob.thread(wanted_capabilities=["c"])["id"] for _ in range(3)]
    assert ids(home(alice)["unanswered"]) == [old[2], old[0], *new[::-1]]
    matching = [bob.thread(wanted_capabilities=["sql"])["id"] for _ in range(3)]
    assert ids(home(alice)["unanswered"]) == [*matching[::-1], old[2], old[0]]
    # it should give each thread as its own page does
    unanswered = home(alice)["unanswered"]
    assert unanswered[0] == web.get(f"/api/threads/{unanswered[0]['id']}").json["thread"]


def test_without_capabilities_the_newest_unanswered_threads_are_shown(web: Web) -> None:
    alice, bob = web.register("alice"), web.register("bob")
    threads = [bob.thread(wanted_capabilities=["sql"])["id"] for _ in range(6)]
    assert ids(home(alice)["unanswered"]) == threads[:0:-1]
    # it should drop a thread once an agent other than its author has replied
    bob.reply({"id": threads[5]})
    web.register("carol").reply({"id": threads[4]})
    assert ids(home(alice)["unanswered"]) == [threads[n] for n in (5, 3, 2, 1, 0)]


def test_explore_shows_the_most_popular_threads_of_others_that_one_has_not_taken_part_in(
    web: Web, operator: Operator
) -> None:
    alice, bob, carol = (web.register(name) for name in ("alice", "bob", "carol"))
    one, two, three, four = (bob.thread() for _ in range(4))
    own = alice.thread()
    carol.vote(two, 1)
    order = [two["id"], four["id"], three["id"], one["id"]]
    assert ids(home(alice)["explore"]) == order
    assert home(alice)["explore"][0] == web.get(f"/api/threads/{two['id']}").json["thread"]
    assert ids(home(carol)["explore"]) == [own["id"], *order[1:]]
    # it should leave out threads that the caller has voted on, until the vote is cleared
    for value in (1, -1):
        alice.vote(four, value)
        assert ids(home(alice)["explore"]) == [two["id"], three["id"], one["id"]]
    alice.vote(four, 0)
    assert ids(home(alice)["explore"]) == order
    # it should leave out threads that the caller has replied in, even if the reply is hidden, for this caller only
    operator.hide(alice.reply(two))
    assert ids(home(alice)["explore"]) == order[1:]
    alice.reply(three)
    assert ids(home(alice)["explore"]) == [four["id"], one["id"]]
    assert own["id"] in ids(home(bob)["explore"])
    # it should not treat a vote on a reply as a vote on its thread
    alice.vote(bob.reply(one), 1)
    assert ids(home(alice)["explore"]) == [four["id"], one["id"]]
    # it should leave out hidden threads
    operator.hide(four)
    assert ids(home(alice)["explore"]) == [one["id"]]


def test_explore_holds_five(web: Web) -> None:
    alice, bob = web.register("alice"), web.register("bob")
    threads = [bob.thread()["id"] for _ in range(7)]
    assert ids(home(alice)["explore"]) == threads[:1:-1]


FILL = """
INSERT INTO posts (id, author_id, author, community, title, body, created, activity, hot, digest, request_id)
SELECT newest + n, a.id, a.name, 'general', 't', 'b', now(), now(), -n, '', gen_random_uuid()
FROM generate_series(1, $1) AS n, agents a, (SELECT coalesce(max(id), 0) AS newest FROM posts) p WHERE a.name = $2
"""
VOTE = "INSERT INTO votes SELECT a.id, n, 1 FROM generate_series($1::int, $2) n, agents a WHERE a.name = $3"


def test_explore_looks_through_so_many_threads_and_no_more(web: Web, operator: Operator) -> None:
    alice, bob = web.register("alice"), web.register("bob")
    # the lower the id, the more popular
    operator.sql(FILL, EXPLORED + 10, bob.name)
    operator.sql(VOTE, 1, EXPLORED - 1, alice.name)
    assert ids(home(alice)["explore"]) == [EXPLORED]
    operator.sql(VOTE, EXPLORED, EXPLORED, alice.name)
    assert ids(home(alice)["explore"]) == []


def test_the_newest_open_threads_are_looked_through_and_no_more(web: Web, operator: Operator) -> None:
    alice, bob = web.register("alice"), web.register("bob")
    operator.sql(FILL, 1, bob.name)
    operator.sql(FILL, WALKED - 1, alice.name)
    assert ids(home(alice)["unanswered"]) == [1]
    operator.sql(FILL, 1, alice.name)
    assert ids(home(alice)["unanswered"]) == []


def test_new_agents_are_the_five_newest_others(web: Web, operator: Operator) -> None:
    first, *others = (web.register("dora") for _ in range(3))
    names = [agent.name for agent in (first, *others)]
    alice = web.register("alice")
    # it should not select the most active agent
    first.thread()
    assert [agent["name"] for agent in home(alice)["new_agents"]] == names[::-1]
    names += [web.register("dora", bio="b").name for _ in range(4)]
    assert [agent["name"] for agent in home(alice)["new_agents"]] == names[:1:-1]
    # it should show agents as the list of agents does, without suspended ones
    operator.suspend(names[-1])
    assert names[-1] not in [agent["name"] for agent in home(alice)["new_agents"]]
    listed = web.get("/api/agents?sort=new").json["items"]
    assert home(alice)["new_agents"] == [item for item in listed if item["name"] != alice.name][:5]

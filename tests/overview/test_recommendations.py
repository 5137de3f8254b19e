"""The recommendations of the dashboard: open threads, popular threads and new agents (interface 10.4)."""

from services.board.overview.recommendations import EXPLORED, WALKED
from tests.operations.hand import Operator
from tests.overview.dashboard import home, ids
from tests.web import Web

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

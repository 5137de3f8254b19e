"""The journeys of agents, as classes of users; each does what the pages for agents describe."""

from loadtests.journeys.reading import Explorer, Follower, Reader, Searcher
from loadtests.journeys.user import BoardUser
from loadtests.journeys.writing import Answerer, Asker, Newcomer, Visitor, Watcher

__all__ = ["JOURNEYS", "BoardUser"]

JOURNEYS: dict[str, type[BoardUser]] = {
    user.__name__.lower(): user
    for user in (Visitor, Reader, Explorer, Answerer, Follower, Searcher, Asker, Newcomer, Watcher)
}

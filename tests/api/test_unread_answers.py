"""Clients that do not read make the API hold no more than a bound, and refuse no short read of others."""

from collections.abc import Iterator
from itertools import cycle, islice

import pytest

from tests.api.raw import Raw
from tests.api.unread import LONG, get, mebibytes, statuses, unread
from tests.processes import ApiProcess
from tests.raw import bearer
from tests.waiting import wait_until
from tests.web import Agent, Web

CLIENTS = 150
# An answer is kept in full until its last byte is sent; pages in work and the cache need room, too.
GROWTH_MAX = 3 * 64


@pytest.fixture(scope="module")
def reader(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ApiProcess, Agent]]:
    """A board with sixty long replies in the thread of a reader, and as many notifications for it."""
    folder = tmp_path_factory.mktemp("api")
    with ApiProcess(module_database, folder, LIMIT_POSTS="1000/60") as api, Web(api.url) as web:
        agent, author = web.register("reader"), web.register("author")
        thread = agent.thread()
        for _ in range(60):
            author.reply(thread, body=LONG)
        yield api, agent
        agent.close()
        author.close()


def test_unread_answers_are_bounded(reader: tuple[ApiProcess, Agent]) -> None:
    api, agent = reader
    before = mebibytes(api)
    public = [get(f"/api/activity?after={number}&limit=100") for number in range(40)]
    asked = islice(cycle([*public, get("/api/notifications?limit=100", bearer(agent.token))]), CLIENTS)
    with unread(api, list(asked)) as clients:
        statuses(clients)
        assert mebibytes(api) - before < GROWTH_MAX
        # others may have waited too long for a connection to the database
        refused = [client.answer() for client in clients if client.status == 503]
        assert {(each.code, each.headers["Retry-After"]) for each in refused} == {("unavailable", "1")}
        assert [each for each in refused if "do not read them" in each.json["detail"]]
        with Raw(api.url) as raw:
            for path in ("/api/stats", "/rules.md", "/api/threads", "/api/agents"):
                assert raw.ask(get(path)).status == 200
    # it should have room again once they are gone
    wait_until(lambda: agent.get("/api/notifications?limit=100").status == 200)

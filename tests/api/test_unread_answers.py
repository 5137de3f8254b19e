"""Clients that do not read make the API hold no more than a bound, and nothing once they are gone."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from services.api.http.unsent import PART_BYTES
from tests.api.raw import Raw
from tests.api.small_api import BYTES_MAX
from tests.api.unread import LONG, get, mebibytes, statuses, unread
from tests.metrics import metric
from tests.processes import START_SECONDS, ApiProcess
from tests.raw import bearer
from tests.web import Agent, Web

MEMORY_MEBIBYTES = 8
# Of a page of posts while it is built, on each connection to the database: its rows, its structs and its JSON.
BUILD_MEBIBYTES = 8
UNSENT_MEBIBYTES = BYTES_MAX // 2**20
GROWTH_MAX = UNSENT_MEBIBYTES + MEMORY_MEBIBYTES + 4 * BUILD_MEBIBYTES
# What is left of the builds: parts of the heap between objects that live longer.
REST_MAX = MEMORY_MEBIBYTES + 12
CLIENTS = 60


class SmallApi(ApiProcess):
    """An API process with little room for unread answers."""

    module = "tests.api.small_api"


@dataclass
class Scene:
    """A board with a hundred long replies in the thread of a reader, and so many notifications for it."""

    api: ApiProcess
    reader: Agent
    thread: int


@pytest.fixture(scope="module")
def scene(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    settings = {"LIMIT_POSTS": "1000/60", "READ_POOL_SIZE": "4", "MEMORY_MEBIBYTES": str(MEMORY_MEBIBYTES)}
    folder = tmp_path_factory.mktemp("api")
    with (
        SmallApi(module_database, folder, **settings) as api,
        Web(api.url) as web,
    ):
        reader, author = web.register("reader"), web.register("author")
        thread = reader.thread()
        for _ in range(100):
            author.reply(thread, body=LONG)
        yield Scene(api, reader, thread["id"])
        reader.close()
        author.close()


@pytest.fixture(autouse=True)
def nothing_waits(scene: Scene) -> Iterator[None]:
    """Each test leaves nothing behind."""
    yield
    wait_until_nothing_waits(scene.api)


def wait_until_nothing_waits(api: ApiProcess) -> None:
    deadline = time.monotonic() + START_SECONDS
    while metric(api, "agent_board_unsent_bytes"):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_answer_is_held_once_for_all_who_wait_for_it(scene: Scene) -> None:
    asked = get(f"/api/activity?after={scene.thread}&limit=100")
    with Raw(scene.api.url) as raw:
        whole = raw.ask(asked)
    refused = metric(scene.api, "agent_board_unsent_refused_total")
    before = mebibytes(scene.api)
    with unread(scene.api, [asked] * CLIENTS) as clients:
        assert statuses(clients) == {200: CLIENTS}
        assert metric(scene.api, "agent_board_unsent_bytes") <= len(whole.content) + CLIENTS * PART_BYTES
        assert mebibytes(scene.api) - before < UNSENT_MEBIBYTES
    assert metric(scene.api, "agent_board_unsent_refused_total") == refused


def test_a_client_that_reads_late_gets_every_byte(scene: Scene) -> None:
    asked = get(f"/api/activity?after={scene.thread}&limit=100")
    with Raw(scene.api.url) as raw, unread(scene.api, [asked] * 10) as clients:
        whole = raw.ask(asked)
        assert statuses(clients) == {200: 10}
        assert [client.begin_to_read().answer().content == whole.content for client in clients] == [True] * 10


@pytest.mark.parametrize("kind", ["pages", "threads", "private", "dashboards"])
def test_different_answers_are_bounded(scene: Scene, kind: str) -> None:
    own = bearer(scene.reader.token)
    asked: Callable[[int], bytes] = {
        "pages": lambda n: get(f"/api/activity?after={scene.thread + n}&limit=100"),
        "threads": lambda n: get(f"/api/threads/{scene.thread}?offset={n}"),
        "private": lambda _: get("/api/notifications?limit=100", own),
        "dashboards": lambda _: get("/api/home", own),
    }[kind]
    refused, before = metric(scene.api, "agent_board_unsent_refused_total"), mebibytes(scene.api)
    with unread(scene.api, [asked(n) for n in range(CLIENTS)]) as clients:
        found = statuses(clients)
        assert found.keys() == {200, 503}
        # others may have waited too long for a connection to the database
        assert 0 < metric(scene.api, "agent_board_unsent_refused_total") - refused <= found[503]
        assert metric(scene.api, "agent_board_unsent_bytes_max") == BYTES_MAX
        assert metric(scene.api, "agent_board_unsent_bytes") <= BYTES_MAX
        assert mebibytes(scene.api) - before < GROWTH_MAX
        small_reads_work(scene.api)
        answer = next(client for client in clients if client.status == 503).answer()
    assert (answer.code, answer.headers["Retry-After"]) == ("unavailable", "1")
    wait_until_nothing_waits(scene.api)
    small_reads_work(scene.api)
    with Raw(scene.api.url) as raw:
        assert raw.ask(asked(0)).status == 200
    assert mebibytes(scene.api) - before < REST_MAX


def small_reads_work(api: ApiProcess) -> None:
    with Raw(api.url) as raw:
        for path in ("/api/stats", "/rules.md", "/api/threads", "/api/agents"):
            assert raw.ask(get(path)).status == 200


def test_short_answers_that_are_not_read_wait_one_at_a_time(scene: Scene) -> None:
    with unread(scene.api, [get("/rules.md") * 300] * 20) as clients:
        assert statuses(clients) == {200: 20}
        small_reads_work(scene.api)
        assert metric(scene.api, "agent_board_unsent_bytes") <= 20 * PART_BYTES


def test_a_long_answer_to_head_is_never_refused(scene: Scene) -> None:
    own = bearer(scene.reader.token)
    with unread(scene.api, [get("/api/notifications?limit=100", own)] * 20) as clients, Raw(scene.api.url) as raw:
        assert statuses(clients)[503]
        raw.send(get("/api/notifications?limit=100", own).replace(b"GET", b"HEAD", 1))
        answer = raw.answer("HEAD")
        assert answer.status == 200
        assert int(answer.headers["Content-Length"]) > PART_BYTES

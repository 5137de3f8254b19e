"""Pages of posts are bounded by bytes as well as by number, and following them skips nothing (interface 9.9)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from services.contract.bounds import HOME_TEXT_BYTES, PAGE_TEXT_BYTES
from services.contract.media_types import HTML
from services.contract.operations import OPERATIONS
from tests.api.unread import LONG
from tests.processes import ApiProcess
from tests.web import Agent, Web

THREADS, REPLIES = 20, 40
NEXT = re.compile('<(.*)>; rel="next"')
# The paths of all lists of posts that have a next page, and where their posts stand.
LISTS = {
    "list_threads": ("/api/threads?limit=100", "items"),
    "list_agent_posts": ("/api/agents/{author}/posts?limit=100", "items"),
    "list_activity": ("/api/activity?after=0&limit=100", "items"),
    "list_notifications": ("/api/notifications?limit=100", "items"),
    "read_thread": ("/api/threads/{thread}", "replies"),
    "read_home": ("/api/home?after=0", "activity"),
}
WITHOUT_BODIES = {"list_agents", "list_communities", "list_moderation", "list_subscriptions"}
# tests/fanout/test_inbox_over_http.py has its posts.
ELSEWHERE = {"list_inbox"}


@dataclass
class Scene:
    """A board with long posts: replies of the author in a thread of the reader, and threads of its own."""

    reader: Agent
    author: Agent
    thread: int
    replies: list[int]
    threads: list[int]

    def path(self, template: str) -> str:
        return template.format(author=self.author.name, thread=self.thread)

    def expected(self, name: str) -> list[int]:
        written = [*self.replies, *self.threads]
        return {
            "list_threads": [*reversed(self.threads), self.thread],
            "list_agent_posts": written[::-1],
            "list_activity": [self.thread, *written],
        }.get(name, self.replies)


@pytest.fixture(scope="module")
def scene(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    api = ApiProcess(module_database, tmp_path_factory.mktemp("api"), LIMIT_POSTS="1000/60")
    with api, Web(api.url) as web, web.register("reader") as reader, web.register("author") as author:
        thread = reader.thread()
        replies = [author.reply(thread, body=LONG)["id"] for _ in range(REPLIES)]
        threads = [author.thread(title="Lengthy", body=LONG)["id"] for _ in range(THREADS)]
        yield Scene(reader, author, thread["id"], replies, threads)


def test_every_list_with_a_next_page_is_among_them() -> None:
    paged = {
        operation.name for operation in OPERATIONS if operation.query is not None and operation.media_type != HTML
        and {"after", "before", "offset"} & set(operation.query.__struct_fields__)
    }  # fmt: skip
    assert paged == LISTS.keys() | WITHOUT_BODIES | ELSEWHERE


@pytest.mark.parametrize("name", LISTS)
def test_pages_are_bounded_and_skip_nothing(scene: Scene, name: str) -> None:
    path, place = LISTS[name]
    bytes_max = HOME_TEXT_BYTES if name == "read_home" else PAGE_TEXT_BYTES
    assert follow(scene, scene.path(path), place, bytes_max) == scene.expected(name)


@pytest.mark.parametrize(("sort", "step"), [("new", -1), ("score", 1)])
def test_pages_of_replies_are_bounded_in_every_order(scene: Scene, sort: str, step: int) -> None:
    path = f"/api/threads/{scene.thread}?limit=100&sort={sort}"
    assert follow(scene, path, "replies", PAGE_TEXT_BYTES) == scene.replies[::step]


def test_a_visit_leads_to_its_next_page(scene: Scene) -> None:
    path = "/api/home?after=0&parts=activity,inbox"
    assert follow(scene, path, "activity", HOME_TEXT_BYTES) == scene.replies
    newest = scene.reader.get("/api/home?after=0&order=new")
    assert newest.json["has_more"]
    assert newest.headers["Link"] is None


def test_posts_by_their_ids_are_bounded_and_skip_nothing(scene: Scene) -> None:
    asked = [*scene.replies[::-1], 999_999, *scene.threads]
    wanted = ",".join(map(str, asked))
    assert follow(scene, f"/api/posts?ids={wanted}", "items", PAGE_TEXT_BYTES) == [*scene.replies[::-1], *scene.threads]
    page = scene.reader.get(f"/api/posts?ids={wanted}").json
    assert page["has_more"]
    assert page["next_ids"] == asked[page["count"] :]


def follow(scene: Scene, path: str, place: str, bytes_max: int) -> list[int]:
    """Return the ids on all pages, in their order."""
    found: list[int] = []
    pages, following = 0, path
    while following:
        answer = scene.reader.get(following)
        assert answer.status == 200
        items = answer.json[place]
        assert 0 < sum(len(item["body"].encode()) for item in items) <= bytes_max or len(items) == 1
        found += [item["id"] for item in items]
        link = NEXT.search(answer.headers.get("Link") or "")
        assert (link is not None) == answer.json.get("has_more", False)
        following = link[1].removeprefix(scene.reader.url) if link else ""
        pages += 1
    assert pages > 1
    return found


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/api/activity?limit=100", "items"), ("/api/agents/{author}", "recent_posts"), ("/api/opportunities", "items"),
        ("/api/opportunities?since=1", "items"), ("/feed.json", "items"), ("/api/search?q=Lengthy&limit=50", "threads"),
    ],
)  # fmt: skip
def test_lists_without_a_next_page_are_bounded(scene: Scene, path: str, place: str) -> None:
    items = scene.reader.get(scene.path(path)).json[place]
    texts = [item.get("body", item.get("content_text")) for item in items]
    assert PAGE_TEXT_BYTES - len(LONG.encode()) <= sum(len(text.encode()) for text in texts) <= PAGE_TEXT_BYTES
    newest = [int(str(item["id"]).rpartition("/")[2]) for item in items]
    written = sorted([*scene.replies, *scene.threads])
    assert sorted(newest) == written[-len(newest) :] or "search" in path


def test_a_page_for_people_shows_each_post_and_shortens_long_ones(scene: Scene) -> None:
    shown = scene.reader.get(f"/t/{scene.thread}")
    assert len(shown.content) < 2 * 2**20
    assert [f'id="post-{post}"'.encode() in shown.content for post in scene.replies] == [True] * REPLIES
    assert shown.content.count(b"This is the beginning of a long text.") > REPLIES // 2
    board = scene.reader.get("/").content
    assert [f'/t/{thread}"'.encode() in board for thread in scene.threads] == [True] * THREADS

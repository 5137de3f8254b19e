"""Every list: its pages hold each item once and in order, and lead to each other (interface 9.1, 9.9, 10.1)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from services.contract.bounds import BODY_MAX, HOME_TEXT_BYTES, PAGE_TEXT_BYTES
from services.contract.media_types import HTML
from services.contract.operations import OPERATIONS
from services.local.postgresql import PostgreSQL
from tests.conftest import numbers
from tests.databases import create_database
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

ID_MAX = 9007199254740991
NEXT = re.compile('<(.*)>; rel="next"')
ITEMS, REPLIES, DEFAULT = 30, 110, 25
LONG_THREADS, LONG_REPLIES = 20, 40
# Four bytes each in UTF-8.
LONG = "\U0001f600" * BODY_MAX
NO_LIMITS = {"LIMIT_POSTS": "1000/60"}
WITHOUT_BODIES = {"list_agents", "list_communities", "list_moderation", "list_subscriptions"}


@dataclass
class Scene:
    """A board on which each list has more items than a page, in the order in which they came."""

    alice: Agent
    bob: Agent
    thread: int
    found: dict[str, list[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class List:
    """A list: its path, the parameter of its position, and the member of an item that tells it from others."""

    path: str
    position: str
    item: str = "id"
    newest_first: bool = False
    sizes: tuple[int, ...] = (1, 7, 10, 100)
    default: int = DEFAULT
    more: str = ""


# Alice wrote the threads and follows nothing; Bob replied in her first thread and follows all she does.
LISTS = {
    "list_activity": List("/api/activity", "after", more="after=0"),
    "list_moderation": List("/api/moderation", "after", more="after=0"),
    "list_notifications": List("/api/notifications", "after"),
    "list_inbox": List("/api/inbox", "after", more="unacked=true&include=post"),
    "list_agent_posts": List("/api/agents/{bob}/posts", "before", newest_first=True),
    "list_threads": List("/api/threads", "offset", newest_first=True, more="sort=new&community=paging&author={alice}"),
    "list_agents": List("/api/agents", "offset", "name", newest_first=True, more="sort=new&capability=paging"),
    "list_communities": List("/api/communities", "offset", "slug", default=100),
    "list_subscriptions": List("/api/subscriptions", "offset", "target", more="state=active"),
    "read_thread": List("/api/threads/{thread}", "offset", default=100),
    "read_home": List("/api/home", "after", sizes=(), default=20),
}
PLACES = {"read_thread": "replies", "read_home": "activity"}
over_lists = pytest.mark.parametrize("name", LISTS)


def played(web: Web, operator: Operator, threads: int, replies: int, body: str) -> Scene:
    """Let Alice write threads, and Bob, who follows their community, reply in the first."""
    alice, bob = web.register("alice"), web.register("bob", capabilities=["paging"])
    bob.subscribe("community", "paging")
    first = alice.thread("Lengthy", body, community="paging")
    answers = [bob.reply(first, body)["id"] for _ in range(replies)]
    later = [alice.thread("Lengthy", body, community="paging")["id"] for _ in range(threads - 1)]
    asked = [first["id"], *later]
    operator.deliver()
    found = {
        "list_activity": [first["id"], *answers, *later], "list_inbox": asked, "list_agent_posts": answers[::-1],
        "list_threads": asked[::-1],
    } | dict.fromkeys(("list_notifications", "read_thread", "read_home"), answers)  # fmt: skip
    return Scene(alice, bob, first["id"], found)


@pytest.fixture(scope="module")
def scene(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    api = ApiProcess(module_database, tmp_path_factory.mktemp("api"), **NO_LIMITS)
    with api, Web(api.url) as web, Operator(module_database) as operator:
        scene = played(web, operator, ITEMS, REPLIES, "Who knows?")
        agents = [scene.bob.name, *(web.register("carol", capabilities=["Paging"]).name for _ in range(ITEMS - 1))]
        following = ["paging", *(f"place-{number}" for number in range(ITEMS - 1))]
        for slug in following:
            scene.bob.post("/api/subscriptions", {"kind": "community", "target": slug})
        for number in range(ITEMS):
            (operator.unhide if number % 2 else operator.hide)({"id": scene.found["list_threads"][0]})
        operator.rewrite(
            "INSERT INTO communities (slug, thread_count, created)"
            " SELECT 'old-' || n, 1, now() - n * interval '1 minute' FROM generate_series(1, $1::int) n",
            ITEMS,
        )
        curated = [item["slug"] for item in web.get("/api/communities").json["items"] if item["curated"]]
        scene.found |= {
            "list_moderation": [*range(1, ITEMS + 1)],
            "list_agents": agents[::-1],
            "list_communities": [*sorted(curated), "paging", *(f"old-{number}" for number in range(1, ITEMS + 1))],
            "list_subscriptions": following,
        }
        yield scene


@pytest.fixture(scope="module")
def long_scene(postgresql: PostgreSQL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A board on which no page has room for all posts, whose texts are long."""
    url = create_database(postgresql, f"paging_{next(numbers)}")
    with (
        ApiProcess(url, tmp_path_factory.mktemp("api"), **NO_LIMITS) as api,
        Web(api.url) as web,
        Operator(url) as operator,
    ):
        yield played(web, operator, LONG_THREADS, LONG_REPLIES, LONG)


def address(scene: Scene, name: str, *more: str) -> str:
    given = "&".join(part for part in (LISTS[name].more, *more) if part)
    path = f"{LISTS[name].path}?{given}"
    return path.format(alice=scene.alice.name, bob=scene.bob.name, thread=scene.thread)


def reader(scene: Scene, name: str) -> Agent:
    return scene.bob if name in ("list_inbox", "list_subscriptions") else scene.alice


def items_of(name: str, answer: Answer) -> list[Any]:
    assert answer.status == 200, answer.content
    return [item[LISTS[name].item] for item in answer.json[PLACES.get(name, "items")]]


def follow(scene: Scene, name: str, first: str) -> list[Answer]:
    """Return a page and all those that its links lead to. Each names the position after its last item."""
    web = reader(scene, name)
    pages, kept = [web.get(first)], parse_qs(urlsplit(first).query)
    while link := NEXT.search(pages[-1].headers["Link"] or ""):
        assert link[1].startswith(f"{web.url}/")
        asked = parse_qs(urlsplit(link[1]).query)
        position = pages[-1].json[f"next_{LISTS[name].position}"]
        # it should be the same call at the next position
        assert asked.items() >= (kept | {LISTS[name].position: [str(position)]}).items()
        pages.append(web.get(link[1].removeprefix(web.url)))
        assert len(pages) <= len(scene.found[name]), "its links lead to no end"
    return pages


def test_every_list_with_a_next_page_is_here() -> None:
    positions = {"after", "before", "offset"}
    paged = {
        operation.name
        for operation in OPERATIONS
        if operation.query is not None and operation.media_type != HTML
        if positions & set(operation.query.__struct_fields__)
    }
    assert paged == LISTS.keys()


@over_lists
def test_pages_of_any_size_hold_each_item_once_and_in_order(scene: Scene, name: str) -> None:
    whole = scene.found[name]
    for size in LISTS[name].sizes or (None,):
        pages = follow(scene, name, address(scene, name, "" if size is None else f"limit={size}"))
        found = [items_of(name, page) for page in pages]
        assert [item for items in found for item in items] == whole, size
        full = size or LISTS[name].default
        assert [len(items) for items in found[:-1]] == [full] * (len(pages) - 1)
        assert 0 < len(found[-1]) <= full
        assert [page.json["has_more"] for page in pages] == [True] * (len(pages) - 1) + [False]


@over_lists
def test_a_page_has_its_default_size_unless_asked_otherwise(scene: Scene, name: str) -> None:
    page = reader(scene, name).get(address(scene, name))
    default = LISTS[name].default
    assert items_of(name, page) == scene.found[name][:default]
    assert page.json["has_more"] == ("Link" in page.headers) == (len(scene.found[name]) > default)


@over_lists
def test_any_position_is_taken_and_beyond_the_end_is_an_empty_page(scene: Scene, name: str) -> None:
    found, position = LISTS[name], LISTS[name].position
    whole, web = scene.found[name], reader(scene, name)
    beyond = 0 if position == "before" else ID_MAX
    path = address(scene, name).replace("after=0", "").rstrip("&")
    for place in (1, len(whole) - 1, len(whole) - 2):
        at = place if position == "offset" else whole[place - 1]
        assert items_of(name, web.get(f"{path}&{position}={at}")) == whole[place:][: found.default], place
    for at in (beyond, *([whole[-1]] if position != "offset" else [len(whole)])):
        answer = web.get(f"{path}&{position}={at}")
        assert (items_of(name, answer), answer.json["has_more"], "Link" in answer.headers) == ([], False, False)
        assert answer.json[f"next_{position}"] == at or name == "read_home"


def pages_of(scene: Scene, name: str, first: str, bytes_max: int = PAGE_TEXT_BYTES) -> list[int]:
    """Return the ids on all pages with long posts, each within its bound unless it has a single post."""
    pages = follow(scene, name, first)
    for page in pages:
        items = page.json[PLACES.get(name, "items")]
        bodies = [(item.get("post") or item)["body"] for item in items]
        assert 0 < sum(len(body.encode()) for body in bodies) <= bytes_max or len(items) == 1
    assert len(pages) > 1
    return [item for page in pages for item in items_of(name, page)]


@pytest.mark.parametrize("name", sorted(LISTS.keys() - WITHOUT_BODIES))
def test_pages_are_bounded_by_bytes_and_skip_nothing(long_scene: Scene, name: str) -> None:
    first = address(long_scene, name, "after=0" if name == "read_home" else "limit=100")
    bytes_max = HOME_TEXT_BYTES if name == "read_home" else PAGE_TEXT_BYTES
    assert pages_of(long_scene, name, first, bytes_max) == long_scene.found[name]


def test_posts_by_their_ids_are_bounded_and_skip_nothing(long_scene: Scene) -> None:
    asked, found = [*long_scene.found["list_agent_posts"], 999_999, *long_scene.found["list_inbox"]], []
    following = asked
    while following:
        page = long_scene.alice.get(f"/api/posts?ids={','.join(map(str, following))}").json
        assert 0 < sum(len(item["body"].encode()) for item in page["items"]) <= PAGE_TEXT_BYTES
        found += [item["id"] for item in page["items"]]
        following = page.get("next_ids", [])
    assert found == [post for post in asked if post != 999_999]


@pytest.mark.parametrize(
    ("path", "place"),
    [("/api/activity?limit=100", "items"), ("/api/agents/{bob}", "recent_posts"), ("/api/opportunities", "items"),
     ("/api/opportunities?since=1", "items"), ("/feed.json", "items"), ("/api/search?q=Lengthy&limit=50", "threads")],
)  # fmt: skip
def test_lists_without_a_next_page_are_bounded(long_scene: Scene, path: str, place: str) -> None:
    items = long_scene.bob.get(path.format(bob=long_scene.bob.name)).json[place]
    texts = [item.get("body", item.get("content_text")) for item in items]
    assert PAGE_TEXT_BYTES - len(LONG.encode()) <= sum(len(text.encode()) for text in texts) <= PAGE_TEXT_BYTES


def test_a_page_for_people_shows_each_post_and_shortens_long_ones(long_scene: Scene) -> None:
    shown = long_scene.alice.get(f"/t/{long_scene.thread}")
    assert len(shown.content) < 2 * 2**20
    replies = long_scene.found["read_thread"]
    assert [f'id="post-{post}"'.encode() in shown.content for post in replies] == [True] * LONG_REPLIES
    assert shown.content.count(b"This is the beginning of a long text.") > LONG_REPLIES // 2
    board = long_scene.alice.get("/").content
    assert [f'/t/{thread}"'.encode() in board for thread in long_scene.found["list_threads"]] == [True] * LONG_THREADS

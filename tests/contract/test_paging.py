"""Every list: its pages of any size hold each item once and in order, and lead to each other (interface 9.1, 10.1)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from services.contract.media_types import HTML
from services.contract.operations import OPERATIONS
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Answer, Web

ID_MAX = 9007199254740991
NEXT = re.compile('<(.*)>; rel="next"')
ITEMS, REPLIES, DEFAULT = 30, 110, 25


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
    "list_subscriptions": List("/api/subscriptions", "offset", more="state=active"),
    "read_thread": List("/api/threads/{thread}", "offset", default=100),
    "read_home": List("/api/home", "after", sizes=(), default=20),
}
PLACES = {"read_thread": "replies", "read_home": "activity"}
over_lists = pytest.mark.parametrize("name", LISTS)


@pytest.fixture(scope="module")
def scene(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    api = ApiProcess(module_database, tmp_path_factory.mktemp("api"), LIMIT_POSTS="1000/60", LIMIT_ACCOUNT="1000/60")
    with api, Web(api.url) as web, Operator(module_database) as operator:
        alice, bob = web.register("alice"), web.register("bob", capabilities=["paging"])
        bob.subscribe("community", "paging")
        threads = [alice.thread(community="paging")["id"] for _ in range(ITEMS)]
        scene = Scene(alice, bob, threads[0])
        replies = [bob.reply({"id": threads[0]})["id"] for _ in range(REPLIES)]
        agents = [bob.name, *(web.register("carol", capabilities=["Paging"]).name for _ in range(ITEMS - 1))]
        following = ["paging", *(f"place-{number}" for number in range(ITEMS - 1))]
        subscriptions = [bob.post("/api/subscriptions", {"kind": "community", "target": slug}) for slug in following]
        for number in range(ITEMS):
            (operator.unhide if number % 2 else operator.hide)({"id": threads[-1]})
        operator.rewrite(
            "INSERT INTO communities (slug, thread_count, created)"
            " SELECT 'old-' || n, 1, now() - n * interval '1 minute' FROM generate_series(1, $1::int) n",
            ITEMS,
        )
        operator.deliver()
        curated = [item["slug"] for item in web.get("/api/communities").json["items"] if item["curated"]]
        scene.found = {
            "list_activity": [*threads, *replies],
            "list_moderation": [*range(1, ITEMS + 1)],
            "list_notifications": replies,
            "list_inbox": threads,
            "list_agent_posts": replies[::-1],
            "list_threads": threads[::-1],
            "list_agents": agents[::-1],
            "list_communities": [*sorted(curated), "paging", *(f"old-{number}" for number in range(1, ITEMS + 1))],
            "list_subscriptions": [answer.json["id"] for answer in subscriptions],
            "read_thread": replies,
            "read_home": replies,
        }
        yield scene


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


@pytest.mark.parametrize("name", ["list_activity", "list_moderation"])
def test_a_newcomer_gets_the_newest_and_a_cursor_that_misses_nothing(scene: Scene, name: str) -> None:
    window = scene.alice.get(LISTS[name].path)
    assert items_of(name, window) == scene.found[name][-DEFAULT:]
    assert (window.json["has_more"], window.json["next_after"]) == (False, scene.found[name][-1])
    assert "Link" not in window.headers

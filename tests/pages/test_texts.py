"""The texts of a page: each is rendered once, within a budget that its authors cannot exceed, and others have turns."""

import asyncio
from typing import Any

import pytest

from services.api.pages import texts as module
from services.api.pages.effort import TEXT_EFFORT
from services.api.pages.markdown import Text, plain, render
from services.api.pages.sizes import REPLIES_PER_PAGE
from services.api.pages.texts import PAGE_EFFORT, Texts
from services.contract.answers.posts import Reply
from services.contract.bounds import BODY_MAX
from tests.pages.hostile import COSTLY


@pytest.fixture(scope="module")
def dear() -> str:
    """The costliest text that is still rendered."""
    return max((text for text in COSTLY if "<pre" not in render(text, 1).html), key=lambda text: render(text, 1).effort)


def reply(number: int, body: str) -> Reply:
    return Reply(number, 1, None, body, "alice", "general", 0.0, 0, 0)


def page_of(body: str, first: int = 1) -> list[Reply]:
    return [reply(first + number, body) for number in range(REPLIES_PER_PAGE)]


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The efforts of the texts that were rendered, in their order."""
    efforts: list[int] = []

    def counted(text: str, *how: Any) -> Text:
        found = render(text, *how)
        efforts.append(found.effort)
        return found

    monkeypatch.setattr(module, "render", counted)
    return efforts


async def test_the_texts_of_posts_stay_within_their_bound() -> None:
    texts = Texts(100_000)
    for number in range(20):
        assert await texts.of([reply(number, "x" * 5_000)]) == {number: f"<p>{'x' * 5_000}</p>\n"}
        assert 0 < texts.rendered.currsize <= 100_000


async def test_a_page_of_costly_texts_costs_no_more_than_its_budget(rendered: list[int], dear: str) -> None:
    html = await Texts().of(page_of(dear))
    assert PAGE_EFFORT <= sum(rendered) <= PAGE_EFFORT + TEXT_EFFORT
    assert [html[number] for number in range(len(rendered) + 1, REPLIES_PER_PAGE + 1)] == [plain(dear)] * (
        REPLIES_PER_PAGE - len(rendered)
    )


async def test_long_texts_do_not_spend_the_budget_of_short_ones(dear: str) -> None:
    short = reply(99, "*short* " + "x" * 2_000)
    html = await Texts().of([*page_of(dear), short])
    assert html[99].startswith("<p><em>short</em>")


async def test_a_page_is_the_same_whether_its_texts_are_remembered_or_not(dear: str) -> None:
    posts = page_of(dear)
    alone, after = Texts(), Texts()
    for post in (posts[0], posts[-2], posts[-1]):
        await after.of([post])
    assert await alone.of(posts) == await alone.of(posts) == await after.of(posts)


async def test_a_text_is_rendered_once_however_many_pages_show_it(rendered: list[int]) -> None:
    texts, posts = Texts(), page_of("*a*")
    await asyncio.gather(*(texts.of(posts) for _ in range(5)))
    await texts.of(posts)
    assert len(rendered) == len(posts)


async def test_others_have_a_turn_after_each_text_however_many_pages_are_rendered(
    rendered: list[int], dear: str
) -> None:
    texts = Texts()
    pages = [asyncio.create_task(texts.of(page_of(dear, 1000 * number))) for number in (1, 2, 3)]
    between: list[int] = []
    seen = 0
    while not all(page.done() for page in pages):
        await asyncio.sleep(0)
        between.append(len(rendered) - seen)
        seen = len(rendered)
    assert max(between) == 1
    # the loop is free for as long as the text took
    assert between.count(0) > between.count(1) > 3


async def test_a_page_in_memory_does_not_wait_for_another_that_is_rendered() -> None:
    texts, known = Texts(), page_of("*known*", 500)
    await texts.of(known)
    other = asyncio.create_task(texts.of(page_of("[" * BODY_MAX)))
    await asyncio.sleep(0)
    assert texts.turn.locked()
    await texts.of(known)
    assert not other.done()
    await other

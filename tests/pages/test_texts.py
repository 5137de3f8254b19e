"""The texts of a page: each is rendered once, a view renders for a bounded time, and others have turns."""

import asyncio

import pytest

from services.api.pages import texts as module
from services.api.pages.markdown import MARKDOWN_MAX, plain, render
from services.api.pages.sizes import REPLIES_PER_PAGE
from services.api.pages.texts import VIEW_SECONDS, Texts
from services.contract.answers.posts import Reply

# The time of a text on the clock of the test.
SECONDS = 0.3 * VIEW_SECONDS
VIEWED = 4


def reply(number: int, body: str) -> Reply:
    return Reply(number, 1, None, body, "alice", "general", 0.0, 0, 0)


def page_of(body: str, first: int = 1) -> list[Reply]:
    return [reply(first + number, body) for number in range(REPLIES_PER_PAGE)]


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were rendered, in their order. Each takes SECONDS, unless it is short."""
    found: list[str] = []
    clock = 0.0

    def counted(text: str, heading: int) -> str:
        nonlocal clock
        found.append(text)
        clock += SECONDS if len(text) > 100 else 0
        return render(text, heading)

    monkeypatch.setattr(module, "render", counted)
    monkeypatch.setattr(module, "thread_time", lambda: clock)
    return found


async def test_the_texts_of_posts_stay_within_their_bound() -> None:
    texts = Texts(100_000)
    for number in range(50):
        html, _ = await texts.of([reply(number, "x" * MARKDOWN_MAX)])
        assert html == {number: f"<p>{'x' * MARKDOWN_MAX}</p>\n"}
        assert 0 < texts.rendered.currsize <= 100_000


async def test_a_view_renders_for_a_bounded_time_and_the_next_ones_the_rest(rendered: list[str]) -> None:
    body = "*a* " * 100
    texts, posts = Texts(), page_of(body)
    for view in range(1, REPLIES_PER_PAGE // VIEWED + 1):
        html, whole = await texts.of(posts)
        assert len(rendered) == view * VIEWED
        assert [html[post.id] for post in posts] == [render(body, 3)] * len(rendered) + [plain(body)] * (
            REPLIES_PER_PAGE - len(rendered)
        )
        assert not whole
    assert (await texts.of(posts))[1]


async def test_long_texts_do_not_take_the_time_of_short_ones(rendered: list[str]) -> None:
    html, _ = await Texts().of([*page_of("*a* " * 100), reply(99, "*short*")])
    assert html[99] == "<p><em>short</em></p>\n"


async def test_a_text_is_rendered_once_however_many_pages_show_it(rendered: list[str]) -> None:
    texts, posts = Texts(), page_of("*a*")
    await asyncio.gather(*(texts.of(posts) for _ in range(5)))
    await texts.of(posts)
    assert len(rendered) == len(posts)


async def test_others_have_a_turn_after_each_text_however_many_pages_are_rendered(rendered: list[str]) -> None:
    texts = Texts()
    pages = [asyncio.create_task(texts.of(page_of("*a* " * 100, 1000 * number))) for number in (1, 2, 3)]
    between: list[int] = []
    seen = 0
    while not all(page.done() for page in pages):
        await asyncio.sleep(0)
        between.append(len(rendered) - seen)
        seen = len(rendered)
    assert seen == 3 * VIEWED
    assert max(between) == 1
    # the loop is free for as long as the text took
    assert between.count(0) > between.count(1)

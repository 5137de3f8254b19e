"""Posts that nearly repeat another author's: many authors with one text stand out, everyday posts do not."""

import random
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loadtests import texts
from services.board.moderation.likeness import number_of, words_of
from services.board.moderation.wordings import Wording
from services.fanout import alike_posts
from services.fanout.alike_posts import ALIKE_SECONDS, PHRASES_MAX, SPREAD_SECONDS, AlikePosts

SHORT = "Buy wave tokens now: the price doubles tonight. No agent can afford to miss this!"
LONG = texts.body(random.Random(4), "a long one")
RATE = 20.0
"""Everyday posts a second."""
SPAMMERS = 1_000_000
"""Authors from this id on publish one text."""


class Clock:
    """The time of the newest post, in place of the machine's."""

    now = 1e9

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(alike_posts, "time", clock := Clock())
    return clock


class Log:
    """Posts in their order, as a process reads them."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.posts = AlikePosts()
        self.id = 0

    def add(self, author: int, text: str, seconds: float = 0) -> bool:
        """Publish `seconds` after the post before; return whether the post is counted."""
        self.id += 1
        self.clock.now += seconds
        return self.posts.is_alike(Wording(self.id, author, self.clock.now, "", text, False))


@pytest.fixture
def log(clock: Clock) -> Log:
    return Log(clock)


def everyday(posts: int) -> Iterator[tuple[int, str]]:
    """Return posts of 2,000 agents, which know few words, so that they share more phrases than people do."""
    chance = random.Random(1)
    for number in range(posts):
        yield chance.randrange(1, 2_000), f"{texts.title(chance)} {texts.body(chance, str(number))}"


@pytest.mark.parametrize("model", [SHORT, LONG], ids=["short", "long"])
def test_a_text_of_many_authors_is_found_among_everyday_posts(log: Log, model: str) -> None:
    chance = random.Random(2)
    found = []
    for number, (author, text) in enumerate(everyday(1_600)):
        log.add(author, text, 1 / RATE)
        if number % 20 == 0:
            found.append(log.add(SPAMMERS + number, texts.reworded(chance, model, 0.3)))
    assert sum(found) >= 0.9 * (len(found) - 1)
    assert 0.5 * len(found) < log.posts.most_authors() < len(found)
    log.clock.now += SPREAD_SECONDS + 1
    assert log.posts.most_authors() == 0


def test_everyday_posts_do_not_stand_out(log: Log) -> None:
    counted = [log.add(author, text, 1 / RATE) for author, text in everyday(3_000)]
    assert (sum(counted) < 0.1 * len(counted), log.posts.most_authors()) == (True, 0)


def test_posts_with_one_link_are_not_alike(log: Log) -> None:
    link = "https://one.example/a/b/c/d/e/f/g/h/i?page=1&order=new"
    said = (
        "Measured with two machines and one slow disk, see",
        "My parser was wrong about commas, as shown in",
        "Try this if nothing else has helped you:",
    )
    assert [log.add(author, f"{text} {link}.") for author, text in enumerate(said)] == [False] * 3


@pytest.mark.parametrize(
    "shared",
    ["Thanks, that works!", "Please let me know if you have any questions about this."],
    ids=["greeting", "phrase"],
)
def test_what_many_posts_share_without_being_one_text_does_not_stand_out(log: Log, shared: str) -> None:
    for author, text in everyday(40):
        log.add(author, shared if len(shared) < 20 else f"{text[:300]} {shared}", 1)
    assert log.posts.most_authors() == 0


def test_what_is_usual_does_not_stand_out(log: Log) -> None:
    report = "Report of the build: all tests have passed on every machine, and the artifacts are on the usual server."
    most = []
    for number in range(20 * int(ALIKE_SECONDS / SPREAD_SECONDS)):
        log.add(number, report, SPREAD_SECONDS / 20)
        most.append(log.posts.most_authors())
    assert (max(most) >= 18, most[-1]) == (True, 0)


def test_an_author_who_repeats_itself_is_not_counted(log: Log) -> None:
    assert [log.add(1, SHORT) for _ in range(20)] == [False] * 20
    assert log.add(2, SHORT)


def test_a_text_of_long_ago_is_not_repeated(log: Log) -> None:
    log.add(1, SHORT)
    assert not log.add(2, SHORT, ALIKE_SECONDS + 1)
    assert log.add(3, SHORT, ALIKE_SECONDS - 1)


def test_the_memory_is_bounded_and_what_it_forgets_is_not_counted(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alike_posts, "POSTS_MAX", 64)
    monkeypatch.setattr(alike_posts, "ALIKE_MAX", 8)
    log = Log(clock)
    log.add(1, SHORT)
    hostile = " ".join(chr(0x4E00 + number) for number in range(1_000))
    assert [log.add(2 + number, hostile) for number in range(20)] == [False] + [True] * 19
    assert (len(log.posts.alike), len(log.posts.alike[0].slots)) == (8, PHRASES_MAX)
    for author, text in everyday(64):
        log.add(author, text)
    assert not log.add(3, SHORT)


@pytest.mark.parametrize(
    "text",
    [
        "我们发布了一个新的代币，今晚价格将会翻倍，任何代理都不能错过这个机会{}",
        "今夜トークンの価格が二倍になりますので、この機会を逃さないでください{}",
    ],
)
def test_texts_without_spaces_are_compared(log: Log, text: str) -> None:
    assert [log.add(author, text.format(chr(0x4E00 + author))) for author in (1, 2)] == [False, True]
    assert not log.add(3, "昨天我在调试数据库的连接池，发现超时设置得太短，改成三十秒以后就好了")


def test_long_words_take_no_more_memory(log: Log) -> None:
    number_of.cache_clear()
    tracemalloc.start()
    try:
        for author in range(50):
            log.add(author, " ".join(chr(0x250 + author) + chr(0x3B1 + place) * 1999 for place in range(20)))
        assert tracemalloc.get_traced_memory()[0] < 1_000_000
    finally:
        tracemalloc.stop()


ASCII = st.text(st.characters(max_codepoint=127))
PARTS = st.sampled_from(["007", "a1b22", "http://x.y/1 ", "HTTPS://X", "http:// ", "_", "\x1f", "Wave's"])


@given(st.lists(ASCII | PARTS).map("".join))
@example("Build 1047 of v2.10_rc3: see https://example.org/7?q=1 today")
def test_the_words_of_a_text_do_not_depend_on_other_letters_in_it(text: str) -> None:
    assert [*words_of(text), "é"] == words_of(f"{text} é")

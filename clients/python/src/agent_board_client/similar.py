"""A look at the board before a question is asked: threads that may have the answer, with their best replies.

A look changes nothing and refuses nothing. One that fails is no reason not to ask.
"""

import re
from collections.abc import Generator, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from .calls import Call
from .client import AsyncBoard, Board
from .conversation import LOOK_SECONDS
from .errors import BoardError
from .models import FoundReply, FoundThread, Reply, SearchResult, Thread, ThreadRead
from .operations import READ_THREAD, SEARCH_BOARD
from .untrusted import Untrusted

SHOWN = 3
SEARCHED = 10
# Measured on the questions of tests/search: with less, threads without an answer are shown; with more, few are shown.
FITTING = 0.4
# With fewer words, any thread would fit.
TERMS_MIN = 3
# A title of fewer words does not tell the question: the beginning of the text belongs to it.
TITLE_TERMS_MIN = 4
# The characters of a question that are searched for: a title, and the beginning of a text. They fit into an address.
QUESTION = 440
EXCERPT = 200
# Scripts without spaces between words: Thai to Burmese, Khmer, kana, Han and Hangul.
SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
RUN = re.compile(f"[{SPACELESS}]+|[^\\W{SPACELESS}]+")
# A search takes hyphens before a word for operators, and quotation marks.
HYPHENS = re.compile(r"(?<!\S)-+")

Look = Generator[Call[Any], Any, "list[Similar] | None"]


class Similar(Struct, frozen=True, kw_only=True):
    """A thread that may have the answer to a question, and its best reply, if it has one."""

    id: int
    title: Untrusted
    author: Untrusted
    score: int
    reply_count: int
    best_reply: FoundReply | None


class Asked(Thread, frozen=True, kw_only=True):
    """A thread that was published, and those that may have its answer; None if the board could not be searched."""

    similar: list[Similar] | None


def with_similar(thread: Thread, similar: list[Similar] | None) -> Asked:
    """Return a thread that was published, with the others that a look found."""
    others = None if similar is None else [one for one in similar if one.id != thread.id]
    return Asked(**asdict(thread), similar=others)


def find_similar(board: Board, title: str, body: str) -> list[Similar] | None:
    """Return up to three threads that may answer a question; None if the board could not be searched."""
    look, answer = look_for(title, body), None
    try:
        while True:
            call = look.send(answer)
            try:
                answer = board.send(call, min(board.patience, LOOK_SECONDS))
            except BoardError:
                answer = None
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def await_similar(board: AsyncBoard, title: str, body: str) -> list[Similar] | None:
    """Return the same as `find_similar`."""
    look, answer = look_for(title, body), None
    try:
        while True:
            call = look.send(answer)
            try:
                answer = await board.send(call)
            except BoardError:
                answer = None
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def look_for(title: str, body: str) -> Look:
    """Yield the calls of a look, and receive their answers, or None for one that failed."""
    question = (title if len(terms(title)) >= TITLE_TERMS_MIN else f"{title} {body}")[:QUESTION]
    if len(terms(question)) < TERMS_MIN:
        return []
    query = {"q": words_of(question), "limit": SEARCHED}
    result: SearchResult | None = yield Call(SEARCH_BOARD, query=query)
    if result is None:
        return None
    fitting = [thread for thread in result.threads if share(question, texts_of(thread)) >= FITTING]
    similar: list[Similar] = []
    for thread in fitting[:SHOWN]:
        similar.append(described(thread, thread.found_in or (yield from best_reply(thread))))
    return similar


def best_reply(thread: FoundThread) -> Generator[Call[Any], Any, FoundReply | None]:
    """Find the reply with the most votes."""
    if not thread.reply_count:
        return None
    query = {"sort": "score", "limit": SHOWN, "body": 2 * EXCERPT}
    read: ThreadRead | None = yield Call(READ_THREAD, path={"id": thread.id}, query=query)
    replies: Iterable[Reply] = read.replies if read is not None else ()
    best = max((reply for reply in replies if not reply.hidden), key=lambda reply: reply.score, default=None)
    if best is None:
        return None
    return FoundReply(id=best.id, author=best.author, score=best.score, text=excerpt(best.body))


def described(thread: FoundThread, reply: FoundReply | None) -> Similar:
    return Similar(
        id=thread.id,
        title=thread.title,
        author=thread.author,
        score=thread.score,
        reply_count=thread.reply_count,
        best_reply=reply,
    )


def words_of(question: str) -> str:
    """Return a search for the words of a question, none of which is an operator."""
    # a hyphen behind a quotation mark is an operator without it
    unquoted = question.replace('"', " ")
    return f"{' '.join(HYPHENS.sub(' ', unquoted).split())}?"


def texts_of(thread: FoundThread) -> str:
    """Return the texts in which the words of a question count."""
    texts = [thread.title, thread.body, *thread.wanted_capabilities]
    texts += [thread.found_in.text] if thread.found_in else []
    return " ".join(text.unwrap() for text in texts)


def share(question: str, texts: str) -> float:
    """Return how much of a question occurs in texts, from 0 to 1. A long word counts more than a short one."""
    asked = terms(question)
    return sum(map(len, asked & terms(texts))) / sum(map(len, asked))


def terms(text: str) -> set[str]:
    """Return the beginnings of the words of a text; of a script without spaces, its pairs of neighbours."""
    found: set[str] = set()
    for run in RUN.findall(text.casefold()):
        if re.match(f"[{SPACELESS}]", run):
            found.update(run[place : place + 2] for place in range(max(1, len(run) - 1)))
        else:
            found.add(run[: max(4, len(run) - 3)])
    return found


def excerpt(text: Untrusted) -> Untrusted:
    """Return the beginning of a text, cut between words."""
    words = " ".join(text.unwrap()[: 2 * EXCERPT].split())
    if len(words) <= EXCERPT:
        return Untrusted(words)
    return Untrusted(words[: EXCERPT + 1].rpartition(" ")[0] or words[:EXCERPT])

"""A look at the board before a question is asked: threads that may have the answer, with their best replies.

A look changes nothing and refuses nothing. One that fails is no reason not to ask.
"""

from msgspec import Struct
from msgspec.structs import asdict

from .calls import Call
from .client import AsyncBoard, Board
from .conversation import LOOK_SECONDS
from .errors import BoardError
from .models import FoundReply, FoundThread, SearchResult, Thread
from .operations import SEARCH_BOARD
from .untrusted import Untrusted

SHOWN = 3
SEARCHED = 10
# Measured on the questions of tests/search: with less, threads without an answer are shown; with more, few are shown.
FITTING = 0.62
# A shorter title, in bytes of UTF-8, does not tell the question: the beginning of the text belongs to it.
TITLE_BYTES_MIN = 24
# The characters of a question that are searched for: a title, and the beginning of a text. They fit into an address.
QUESTION = 440
EXCERPT = 200


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
    try:
        return fitting(board.send(look_for(title, body), min(board.patience, LOOK_SECONDS)))
    except BoardError:
        return None


async def await_similar(board: AsyncBoard, title: str, body: str) -> list[Similar] | None:
    """Return the same as `find_similar`."""
    try:
        return fitting(await board.send(look_for(title, body)))
    except BoardError:
        return None


def look_for(title: str, body: str) -> Call[SearchResult]:
    """Return the search for a question. After a question mark, no word is an operator."""
    question = title if len(title.encode(errors="replace")) >= TITLE_BYTES_MIN else f"{title} {body}"
    return Call(SEARCH_BOARD, query={"q": f"{question[:QUESTION]}?", "limit": SEARCHED, "body": 0})


def fitting(found: SearchResult) -> list[Similar]:
    """Return the first threads with enough of the words, by their weight."""
    return [described(thread) for thread in found.threads if thread.share >= FITTING][:SHOWN]


def described(thread: FoundThread) -> Similar:
    return Similar(
        id=thread.id,
        title=thread.title,
        author=thread.author,
        score=thread.score,
        reply_count=thread.reply_count,
        best_reply=thread.found_in or None,
    )


def excerpt(text: Untrusted) -> Untrusted:
    """Return the beginning of a text, cut between words."""
    words = " ".join(text.unwrap()[: 2 * EXCERPT].split())
    if len(words) <= EXCERPT:
        return Untrusted(words)
    return Untrusted(words[: EXCERPT + 1].rpartition(" ")[0] or words[:EXCERPT])

"""Judged collections of threads and questions: Cranfield, 200 short threads of our own, and answered questions."""

import re
from dataclasses import dataclass
from pathlib import Path

from services.contract.bounds import SEARCH_MAX, TITLE_MAX

# Public test data whose licence is not stated: it stays outside the repository, next to its checkout.
CRANFIELD = Path(__file__).parents[3] / "shared" / "data" / "search"
OWN = Path(__file__).parent
GAINS = {"1": 3, "2": 2, "3": 1}


@dataclass(frozen=True)
class Collection:
    """Threads as (title, body), questions, and for each question the grades of the threads that answer it, from 1 to 3.

    A thread is named by its place in `threads`, from 0.
    """

    threads: list[tuple[str, str]]
    questions: list[str]
    grades: list[dict[int, int]]


@dataclass(frozen=True)
class Pair:
    """A thread whose answer stands in a reply, and searches that only the answer has the words of.

    `replies` are in their order, and `answer` is the place of the one that answers.
    `rephrased` is a question in the words of the thread; empty if there is none.
    """

    title: str
    body: str
    replies: list[str]
    answer: int
    question: str
    rare: str
    rephrased: str


def pairs() -> list[Pair]:
    """Return the answered questions of this folder."""
    return [pair(line) for line in lines("pairs.txt")]


def pair(line: str) -> Pair:
    title, body, *parts = line.split(" | ")
    marked = {part[0]: part[1:] for part in parts if part[0] in "?!~"}
    replies = [part for part in parts if part[0] not in "?!~"]
    (answer,) = [place for place, reply in enumerate(replies) if reply.startswith("=")]
    replies[answer] = replies[answer].removeprefix("=")
    return Pair(title, body, replies, answer, marked["?"], marked["!"], marked.get("~", ""))


def own() -> Collection:
    """Return the collection of this folder."""
    rows = [line.split(" | ") for line in lines("threads.txt")]
    places = {key: place for place, (key, _, _) in enumerate(rows)}
    judged = [line.rsplit(" | ", 1) for line in lines("questions.txt")]
    grades = [
        {places[key]: int(grade) for key, grade in (each.split("=") for each in answers.split())}
        for _, answers in judged
    ]
    return Collection([(title, body) for _, title, body in rows], [question for question, _ in judged], grades)


def lines(name: str) -> list[str]:
    return [line for line in (OWN / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def cranfield() -> Collection:
    """Return the collection Cranfield: abstracts as threads, and the questions that its README describes."""
    records = re.split(r"^\.I ", (CRANFIELD / "cran.all.1400").read_text(), flags=re.MULTILINE)[1:]
    parts = [re.split(r"^\.[TABW]$", record, maxsplit=4, flags=re.MULTILINE) for record in records]
    threads = [(spaced(title)[:TITLE_MAX], spaced(text) or spaced(title)) for _, title, _, _, text in parts]
    questions = re.split(r"^\.I.*\n\.W\n", (CRANFIELD / "cran.qry").read_text(), flags=re.MULTILINE)[1:]
    grades: list[dict[int, int]] = [{} for _ in questions]
    for line in (CRANFIELD / "cranqrel").read_text().splitlines():
        question, abstract, code = line.split()
        if code in GAINS:
            grades[int(question) - 1][int(abstract) - 1] = GAINS[code]
    return Collection(threads, [spaced(question)[:SEARCH_MAX] for question in questions], grades)


def spaced(text: str) -> str:
    return " ".join(text.split())

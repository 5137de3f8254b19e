"""Answers and calls of earlier releases, which this one must read and serve: clients/released has a file for each.

`make release` writes the file of a release (keeping.py). Delete one when its boards need no client of a later release
any more.
"""

from pathlib import Path

import msgspec
from msgspec import Struct, inspect

from services.contract.answers.problems import Problem
from services.contract.examples import RECORDED_URL, Example, examples

from .types import FOR_PROGRAMS, annotation

FOLDER = Path(__file__).parents[1] / "released"


class Function(Struct, frozen=True):
    """The types of all arguments, how many must be given, and the columns of the rows that it returns."""

    arguments: list[str]
    required: int
    columns: list[str]

    def serves(self, called: "Function") -> bool:
        """Whether a process that calls the function of an earlier release can call this one."""
        count = len(called.arguments)
        return (
            self.arguments[:count] == called.arguments
            and self.required <= called.required
            and set(called.columns) <= set(self.columns)
        )


class Release(Struct):
    """The names of the members of each record, an example for each operation, and the SQL functions that are called."""

    members: dict[str, list[str]]
    answers: dict[str, Example]
    functions: dict[str, Function] = {}

    def has(self, record: str, member: str) -> bool:
        """Whether this release answers a member, if it knows the record at all."""
        return member in self.members.get(record, [member])


def releases() -> dict[str, Release]:
    """Return all kept releases by their versions, the newest last."""
    files = sorted(FOLDER.glob("*.json"), key=lambda file: [int(part) for part in file.stem.split(".")])
    return {file.stem: msgspec.json.decode(file.read_bytes(), type=Release) for file in files}


def this_release() -> Release:
    """Return the answers of this checkout."""
    members: dict[str, list[str]] = {}
    for kind in (*(operation.returns for operation in FOR_PROGRAMS), Problem):
        annotation(inspect.type_info(kind), "str", lambda struct: add(struct, members))
    return Release(members, examples(RECORDED_URL))


def add(info: inspect.StructType, members: dict[str, list[str]]) -> str:
    """Add the members of a record and of those that it contains. Returns its name."""
    name = info.cls.__name__
    if name not in members:
        members[name] = [member.encode_name for member in info.fields]
        for member in info.fields:
            annotation(member.type, "str", lambda struct: add(struct, members))
    return name

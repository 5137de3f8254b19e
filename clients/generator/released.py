"""The answers of earlier releases, which the client must read: `clients/released` has a file for each of them.

`make released` writes the file of a release. Delete one when its boards need no client of a later release any more.
"""

from pathlib import Path

import msgspec
from msgspec import Struct, inspect

from services.contract.answers.problems import Problem
from services.contract.examples import RECORDED_URL, Example, examples
from services.process.release import RELEASE

from .types import FOR_PROGRAMS, annotation

FOLDER = Path(__file__).parents[1] / "released"


class Release(Struct):
    """The answers of a release: the names of the members of each record, and an example for each operation."""

    members: dict[str, list[str]]
    answers: dict[str, Example]

    def has(self, record: str, member: str) -> bool:
        """Whether this release answers a member, if it knows the record at all."""
        return member in self.members.get(record, [member])


def releases() -> dict[str, Release]:
    """Return all kept releases by their versions."""
    files = sorted(FOLDER.glob("*.json"))
    return {file.stem: msgspec.json.decode(file.read_bytes(), type=Release) for file in files}


def this_release() -> Release:
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


if __name__ == "__main__":
    source = msgspec.json.format(msgspec.json.encode(this_release()), indent=1)
    (FOLDER / f"{RELEASE}.json").write_bytes(source + b"\n")

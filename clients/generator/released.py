"""What earlier releases answer and call, which this one must read and serve: clients/released has a file for each.

`make release` writes the file of a release. Delete one when its boards need no client of a later release any more.
"""

import sys
from pathlib import Path

import msgspec
from msgspec import Struct, inspect

from services.contract.answers.problems import Problem
from services.contract.examples import RECORDED_URL, Example, examples

from .functions import Function, called_functions, functions_of_new_board, unserved
from .types import FOR_PROGRAMS, annotation

FOLDER = Path(__file__).parents[1] / "released"


UNSERVED = "Processes of release {} call {} in another way: add arguments last, with a default, and only add columns."


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


def keep(version: str) -> str:
    """Write the file of this release. Return why it cannot follow the release before; blank if it can."""
    now = functions_of_new_board()
    release = this_release()
    release.functions = {name: now[name] for name in called_functions()}
    for before, earlier in [each for each in releases().items() if each[0] != version][-1:]:
        if names := unserved(earlier.functions, now):
            return UNSERVED.format(before, ", ".join(names))
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{version}.json").write_bytes(msgspec.json.encode(release) + b"\n")
    return ""


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1]) or None)

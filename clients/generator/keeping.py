"""`python -m clients.generator.keeping VERSION` writes the file of a release. It needs a database, as no build does."""

import sys

import msgspec

from .functions import called_functions, functions_of_new_board, unserved
from .released import FOLDER, releases, this_release

UNSERVED = "Processes of release {} call {} in another way: add arguments last, with a default, and only add columns."


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

"""The commands behind `make release` and `make publish`. Only the second one pushes, and only images."""

import os
import sys
from pathlib import Path

from deploy.compose.errors import StackError
from deploy.release import making, publishing
from deploy.release.errors import ReleaseError

CHECKOUT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Make or publish the release of the given version: `release VERSION`. Return 0 on success, else 1."""
    name, version = (*arguments, "", "")[:2]
    try:
        if name == "publish":
            platforms = (os.environ.get("PLATFORMS") or ",".join(publishing.PLATFORMS)).split(",")
            print(making.publish(CHECKOUT, version, os.environ.get("REGISTRY") or "", platforms))
        else:
            print(making.release(CHECKOUT, version, os.environ.get("IMAGE") or "agent-board"))
    except (ReleaseError, StackError, OSError) as error:
        print(f"make {name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""An API process with room for a MiB of bodies that have arrived in part."""

import sys

from services.api.__main__ import main
from services.api.http import arriving

arriving.BYTES_MAX = 2**20  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())

"""`python -m clients.generator` writes the generated modules of the Python client; `make contract` runs it."""

import subprocess
import sys
from pathlib import Path

from services.board.verifiable_log import merkle_tree
from services.operator import streams

from .methods import methods_source
from .models import models_source
from .operations import operations_source
from .released import releases

PACKAGE = Path(__file__).parents[1] / "python" / "src" / "agent_board_client"


def sources() -> dict[Path, str]:
    """The generated modules by their paths, as they must stand in the repository."""
    written = {"models.py": models_source(releases().values()), "methods.py": methods_source()}
    written["operations.py"] = operations_source()
    # The board makes the tree with the rules by which the client verifies it.
    written["merkle_tree.py"] = Path(merkle_tree.__file__).read_text(encoding="utf-8")
    # Both commands end with their reader.
    written["streams.py"] = Path(streams.__file__).read_text(encoding="utf-8")
    return {PACKAGE / name: formatted(source) for name, source in written.items()}


def formatted(source: str) -> str:
    """Format a module as the repository's settings want it."""
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(PACKAGE / "models.py"), "-"]
    return subprocess.run(ruff, input=source, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    for path, source in sources().items():
        path.write_text(source, encoding="utf-8")

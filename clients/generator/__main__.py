"""`python -m clients.generator` writes the generated modules of the Python client; each build of its wheel runs it.

It needs msgspec, and no other package.
"""

from pathlib import Path

from .methods import methods_source
from .models import models_source
from .operations import operations_source
from .released import releases

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / "clients" / "python" / "src" / "agent_board_client"
# The board makes the tree with the rules by which the client verifies it, and both commands end with their reader.
COPIED = ("services/board/verifiable_log/merkle_tree.py", "services/operator/streams.py")


def sources() -> dict[Path, str]:
    """The generated modules by their paths."""
    written = {"models.py": models_source(releases().values()), "methods.py": methods_source()}
    written["operations.py"] = operations_source()
    written |= {Path(name).name: (CHECKOUT / name).read_text(encoding="utf-8") for name in COPIED}
    return {PACKAGE / name: source for name, source in written.items()}


if __name__ == "__main__":
    for path, source in sources().items():
        # An unchanged file keeps its time, by which make knows what is new.
        if not path.exists() or path.read_text(encoding="utf-8") != source:
            path.write_text(source, encoding="utf-8")

"""What the tests of documents need: the texts, made for an address of their own."""

import pytest

from services.api.documents import documents
from services.board.contract.operations import OPERATIONS
from services.board.links import Links

BASE = "https://board.example"
PAGES = sorted(operation.path for operation in OPERATIONS if operation.media_type.startswith("text/"))


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    """Every text for https://board.example, by its path."""
    return {path: content.decode() for path, content in documents(Links(BASE)).items() if path in PAGES}

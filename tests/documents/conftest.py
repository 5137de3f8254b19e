"""Fixtures for the tests of documents: the texts, rendered for an example address."""

import pytest

from services.api.documents.rendering import documents
from services.board.links import Links
from services.contract.contacts import Contacts
from services.contract.operations import INTERFACE

BASE = "https://board.example"
CONTACTS = Contacts("mailto:board@board.example", "mailto:security@board.example")
PAGES = sorted(
    operation.path for operation in INTERFACE if operation.document and operation.media_type.startswith("text/")
)


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    """Every text for https://board.example, by its path."""
    return {path: content.decode() for path, content in documents(Links(BASE), CONTACTS).items() if path in PAGES}

"""A repository from which releases are made."""

from pathlib import Path

import pytest

from tests.release.repository import copy_to_release


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one commit, from which a release is made."""
    checkout = tmp_path / "checkout"
    copy_to_release(checkout)
    return checkout

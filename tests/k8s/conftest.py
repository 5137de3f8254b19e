"""The rendered manifests, which all workers share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.k8s.rendering import Manifest, render

Rendered = Callable[[str], list[Manifest]]


@pytest.fixture(scope="session")
def scratch(shared_folder: Path) -> Path:
    """A folder that the workers of this run share."""
    folder = shared_folder / "k8s"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def rendered(scratch: Path) -> Rendered:
    """Returns the manifests of a case, such as overlays/small. Copy them before you change them."""
    return lambda case: render(case, scratch)

"""The rendered manifests, which all workers share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.k8s.rendering import Manifest, render

Rendered = Callable[[str], list[Manifest]]


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "k8s"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def rendered(scratch: Path) -> Rendered:
    """Returns the manifests of a case, such as overlays/small. Copy them before you change them."""
    return lambda case: render(case, scratch)

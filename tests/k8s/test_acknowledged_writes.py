"""No acknowledged post is lost with an instance of CloudNativePG: the component keeps what that needs."""

import re

from tests.k8s.conftest import Rendered
from tests.k8s.rendering import named
from tests.processes import CHECKOUT

FILE = CHECKOUT / "deploy/k8s/components/cloudnative-pg/kustomization.yaml"
README = CHECKOUT / "deploy/k8s/README.md"
# The first release in which a fail-over cannot be reverted (cloudnative-pg#11346), and a primary that hangs is demoted
# (#11348).
FIRST = (1, 30, 1)


def test_a_write_waits_for_a_standby_and_only_one_that_has_it_is_promoted(rendered: Rendered) -> None:
    cluster = named(rendered("components/cloudnative-pg"), "Cluster", "postgresql")["spec"]
    assert cluster["instances"] >= 3
    synchronous = cluster["postgresql"]["synchronous"]
    assert (synchronous["dataDurability"], synchronous["failoverQuorum"]) == ("required", True)
    assert synchronous["number"] >= 1


def test_the_component_and_the_readme_ask_for_a_release_with_the_fixes() -> None:
    for file in (FILE, README):
        (asked,) = re.findall(r"CloudNativePG (\d+)\.(\d+)(?:\.(\d+))? or newer", " ".join(file.read_text().split()))
        assert tuple(int(number or 0) for number in asked) >= FIRST, file

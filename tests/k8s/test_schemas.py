"""Every manifest is one that Kubernetes accepts: strictly, without any field that it does not know."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
from referencing import Registry, Resource

from tests.k8s.conftest import Rendered
from tests.k8s.crds import SOURCES, check
from tests.k8s.rendering import CASES, Manifest, named

# The oldest and the newest release for which the manifests are meant, and one between them.
VERSIONS = ("1.31", "1.35", "1.37")
SCHEMAS = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_manifest_fits_its_schema(rendered: Rendered, version: str) -> None:
    for case in CASES:
        for manifest in rendered(case):
            fits(json.dumps(manifest, sort_keys=True), version)


def test_every_custom_resource_is_used(rendered: Rendered) -> None:
    used = {f"{each['apiVersion']} {each['kind']}" for case in CASES for each in rendered(case)}
    assert set(SOURCES) <= used


def test_backups_are_scheduled_with_seconds(rendered: Rendered) -> None:
    """Any text fits the schema. With five fields, the operator would take the minutes for seconds."""
    backup = named(rendered("components/cloudnative-pg"), "ScheduledBackup", "nightly")
    assert len(backup["spec"]["schedule"].split()) == 6


@cache
def fits(text: str, version: str) -> None:
    """Check one manifest. The cases have most of theirs in common, so each is checked once."""
    manifest: Manifest = json.loads(text)
    group, _, api = manifest["apiVersion"].rpartition("/")
    name = "-".join(filter(None, (manifest["kind"].lower(), group.partition(".")[0], api)))
    if (SCHEMAS / f"v{version}.0-local-strict" / f"{name}.json").exists():
        validator(name, version).validate(manifest)
    else:
        check(manifest)


@cache
def validator(name: str, version: str) -> Any:
    schema = json.loads((SCHEMAS / f"v{version}.0-local-strict" / f"{name}.json").read_text())
    return jsonschema.Draft202012Validator(schema, registry=definitions(version))


@cache
def definitions(version: str) -> Registry[Any]:
    """Return the schemas that those of a version refer to. The package's own function reads them for each manifest."""
    content = json.loads((SCHEMAS / f"v{version}.0-local-strict" / "_definitions.json").read_text())
    return Resource.from_contents(content) @ Registry()

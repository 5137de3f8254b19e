"""`python -m tests.k8s.crds`: writes the schemas of the custom resources again, from the modules in SOURCES.

It needs `go`, which downloads the modules and verifies them.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.k8s.crds import FOLDER, SOURCES, Schema, file_of

# Parts that describe a schema without a constraint.
REMARKS = {"description", "example", "externalDocs", "title"}


def strict(schema: Schema) -> Schema:
    """Return the JSON Schema of an OpenAPI schema of Kubernetes, which refuses fields that are not listed."""
    kept = {key: value for key, value in schema.items() if key not in REMARKS and not key.startswith("x-")}
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    if "properties" in schema:
        kept["properties"] = {name: strict(each) for name, each in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            kept.setdefault("additionalProperties", False)
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), dict):
            kept[key] = strict(schema[key])
    for key in ("allOf", "anyOf", "oneOf"):
        # These only narrow what the schema around them lists.
        if key in schema:
            kept[key] = schema[key]
    return kept


def module(name: str) -> Path:
    """Return the folder of a Go module."""
    done = subprocess.run(["go", "mod", "download", "-json", name], cwd="/", capture_output=True, text=True, check=True)
    return Path(json.loads(done.stdout)["Dir"])


def schema(definition: dict[str, Any], version: str) -> Schema:
    """Return the schema of one version of a CustomResourceDefinition, without the status."""
    [found] = [each for each in definition["spec"]["versions"] if each["name"] == version]
    whole = strict(found["schema"]["openAPIV3Schema"])
    whole["properties"].pop("status", None)
    whole["properties"]["metadata"] = {"type": "object"}
    return whole


def main() -> None:
    for kind, (name, path) in SOURCES.items():
        definition = yaml.load((module(name) / path).read_text(), Loader=yaml.CSafeLoader)
        content = schema(definition, kind.split()[0].rpartition("/")[2])
        file_of(kind).write_text(json.dumps(content, separators=(",", ":"), sort_keys=True) + "\n")
        print(f"{file_of(kind).relative_to(FOLDER)}: {name}")


if __name__ == "__main__":
    main()

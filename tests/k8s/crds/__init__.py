"""Schemas of the custom resources that the manifests use, from the definitions that their projects publish.

`python -m tests.k8s.crds` writes the files here again. Those projects are licensed under the Apache License 2.0; the
README in this folder names their authors.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema

Schema = dict[str, Any]
FOLDER: Final = Path(__file__).parent
PROMETHEUS: Final = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
POSTGRESQL: Final = "github.com/cloudnative-pg/cloudnative-pg@v1.28.0"
BARMAN: Final = "github.com/cloudnative-pg/plugin-barman-cloud@v0.15.0"
MONITORING: Final = "example/prometheus-operator-crd/monitoring.coreos.com_"
BASES: Final = "config/crd/bases/"
# By apiVersion and kind: the Go module of the project with its version, and the definition's path in it.
SOURCES: Final = {
    "monitoring.coreos.com/v1 PodMonitor": (PROMETHEUS, MONITORING + "podmonitors.yaml"),
    "monitoring.coreos.com/v1 Probe": (PROMETHEUS, MONITORING + "probes.yaml"),
    "monitoring.coreos.com/v1 PrometheusRule": (PROMETHEUS, MONITORING + "prometheusrules.yaml"),
    "postgresql.cnpg.io/v1 Cluster": (POSTGRESQL, BASES + "postgresql.cnpg.io_clusters.yaml"),
    "postgresql.cnpg.io/v1 ScheduledBackup": (POSTGRESQL, BASES + "postgresql.cnpg.io_scheduledbackups.yaml"),
    "barmancloud.cnpg.io/v1 ObjectStore": (BARMAN, BASES + "barmancloud.cnpg.io_objectstores.yaml"),
}


def file_of(kind: str) -> Path:
    """Return the file with the schema of a kind."""
    return FOLDER / f"{kind.split()[1]}.json"


def check(manifest: dict[str, Any]) -> None:
    """Check a custom resource. Raises jsonschema's ValidationError, also for a kind that is not listed."""
    kind = f"{manifest['apiVersion']} {manifest['kind']}"
    if kind not in SOURCES:
        raise jsonschema.ValidationError(f"{kind} is neither a kind of Kubernetes nor listed in tests/k8s/crds.")
    validator(kind).validate(manifest)


@cache
def validator(kind: str) -> Any:
    return jsonschema.Draft202012Validator(json.loads(file_of(kind).read_text()))

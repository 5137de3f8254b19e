"""Writes what is made from this folder into `generated`: `python3 -m deploy.observability.generated_files`.

Grafana's dashboards come from dashboards.py. The rules come from prometheus/rules, as the Prometheus operator of
Kubernetes reads them. It runs before anything is installed, so it must import only the standard library.
"""

import os
from pathlib import Path
from textwrap import indent
from typing import Final

from deploy.observability.dashboards import DASHBOARDS
from deploy.observability.panels import rendered

FOLDER: Final = Path(__file__).parent
GENERATED: Final = FOLDER / "generated"
RULE: Final = """\
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: {name}
  labels: {{ app.kubernetes.io/component: monitoring }}
spec:
"""
KUSTOMIZATION: Final = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [rules.yaml]
# Grafana's sidecar reads ConfigMaps with this label.
generatorOptions: { disableNameSuffixHash: true, labels: { grafana_dashboard: "1" } }
configMapGenerator:
"""


def main() -> None:
    """Write the dashboards, the rules for Kubernetes, and a kustomization of both. Existing files are replaced."""
    for dashboard in DASHBOARDS:
        write(f"{dashboard.name}.json", rendered(dashboard))
    write("rules.yaml", "".join(map(rule, sorted(FOLDER.glob("prometheus/rules/*.yaml")))))
    maps = (f"  - {{ name: dashboard-{each.name}, files: [{each.name}.json] }}\n" for each in DASHBOARDS)
    write("kustomization.yaml", KUSTOMIZATION + "".join(maps))


def write(name: str, content: str) -> None:
    """Write a file of GENERATED. A concurrent reader finds the former content or the new one."""
    unfinished = GENERATED / f".{name}.{os.getpid()}"
    unfinished.write_text(content, encoding="utf-8")
    # Grafana is another user.
    unfinished.chmod(0o644)
    unfinished.replace(GENERATED / name)


def rule(file: Path) -> str:
    """Return the PrometheusRule with the groups of a file."""
    return RULE.format(name=file.stem) + indent(file.read_text(encoding="utf-8"), "  ")


if __name__ == "__main__":
    main()

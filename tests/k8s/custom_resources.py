"""Schemas of the custom resources that the manifests use: exactly the fields in use, with their types.

They follow the documentation of the Prometheus operator, CloudNativePG and its plugin barman-cloud, Gateway API, KEDA
and External Secrets.
"""

from functools import cache
from typing import Any

import jsonschema

from tests.k8s.rendering import Manifest

Schema = dict[str, Any]
TEXT: Schema = {"type": "string", "minLength": 1}
WHOLE: Schema = {"type": "integer", "minimum": 0}
YES_OR_NO: Schema = {"type": "boolean"}
PORT: Schema = {"type": "integer", "minimum": 1, "maximum": 65535}
DURATION: Schema = {"type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$"}
HOST: Schema = {"type": "string", "pattern": r"^[a-z0-9-]+(\.[a-z0-9-]+)+$"}
TEXTS: Schema = {"type": "object", "additionalProperties": TEXT}


def one_of(*values: object) -> Schema:
    return {"enum": list(values)}


def many(item: Schema) -> Schema:
    return {"type": "array", "items": item, "minItems": 1}


def record(required: dict[str, Schema], **optional: Schema) -> Schema:
    """An object with these fields and no others."""
    fields = {"properties": {**required, **optional}, "required": sorted(required)}
    return {"type": "object", "additionalProperties": False, **fields}


REFERENCE = record({"name": TEXT})
KEY = record({"name": TEXT, "key": TEXT})
EXPRESSION = record({"key": TEXT, "operator": one_of("In", "NotIn", "Exists"), "values": many(TEXT)})
STEP = record({"type": one_of("Pods", "Percent"), "value": WHOLE, "periodSeconds": WHOLE})
SCALING = record({"policies": many(STEP)}, stabilizationWindowSeconds=WHOLE)
SPECS: dict[str, Schema] = {
    "monitoring.coreos.com/v1 PodMonitor": record(
        {
            "selector": record({}, matchLabels=TEXTS, matchExpressions=many(EXPRESSION)),
            "podMetricsEndpoints": many(
                record(
                    {"port": TEXT, "interval": DURATION, "scrapeTimeout": DURATION},
                    relabelings=many(record({"targetLabel": TEXT, "replacement": TEXT})),
                )
            ),
        },
        jobLabel=TEXT,
    ),
    "monitoring.coreos.com/v1 PrometheusRule": record(
        {
            "groups": many(
                record(
                    {
                        "name": TEXT,
                        "rules": many(
                            {
                                "oneOf": [
                                    record({"record": TEXT, "expr": TEXT}, labels=TEXTS),
                                    record({"alert": TEXT, "expr": TEXT, "labels": TEXTS, "annotations": TEXTS},
                                           **{"for": DURATION, "keep_firing_for": DURATION}),
                                ]
                            }
                        ),
                    },
                    interval=DURATION,
                )
            )
        }
    ),
    "postgresql.cnpg.io/v1 Cluster": record(
        {
            "instances": {"type": "integer", "minimum": 1},
            "imageName": TEXT,
            "bootstrap": record(
                {
                    "initdb": record(
                        {"database": TEXT, "owner": TEXT},
                        encoding=TEXT, locale=TEXT, localeProvider=one_of("builtin", "icu", "libc"), builtinLocale=TEXT,
                    )
                }
            ),
            "managed": record(
                {
                    "roles": many(
                        record({"name": TEXT, "ensure": one_of("present", "absent")}, login=YES_OR_NO,
                               createrole=YES_OR_NO)
                    )
                }
            ),
            "postgresql": record(
                {
                    "parameters": TEXTS,
                    "synchronous": record(
                        {"method": one_of("any", "first"), "number": {"type": "integer", "minimum": 1}},
                        dataDurability=one_of("required", "preferred"), failoverQuorum=YES_OR_NO,
                    ),
                }
            ),
            "storage": record({"size": TEXT}),
            "resources": record({"requests": TEXTS, "limits": TEXTS}),
            "affinity": record(
                {"enablePodAntiAffinity": YES_OR_NO, "topologyKey": TEXT,
                 "podAntiAffinityType": one_of("preferred", "required")}
            ),
            "plugins": many(record({"name": TEXT, "isWALArchiver": YES_OR_NO, "parameters": TEXTS})),
        },
        stopDelay=WHOLE,
        switchoverDelay=WHOLE,
    ),
    "barmancloud.cnpg.io/v1 ObjectStore": record(
        {
            "retentionPolicy": {"type": "string", "pattern": "^[1-9][0-9]*[dwm]$"},
            "configuration": record(
                {
                    "destinationPath": TEXT,
                    "s3Credentials": record({"accessKeyId": KEY, "secretAccessKey": KEY}),
                    "wal": record({"compression": one_of("gzip", "lz4", "snappy", "xz", "zstd", "bzip2")}),
                    "data": record({"compression": one_of("gzip", "snappy", "bzip2")}),
                }
            ),
        }
    ),
    "postgresql.cnpg.io/v1 ScheduledBackup": record(
        {
            # The first of six fields is the second.
            "schedule": {"type": "string", "pattern": r"^\S+( \S+){5}$"},
            "cluster": REFERENCE,
            "method": one_of("plugin"),
            "pluginConfiguration": REFERENCE,
            "backupOwnerReference": one_of("none", "self", "cluster"),
        },
        immediate=YES_OR_NO,
    ),
    "gateway.networking.k8s.io/v1 Gateway": record(
        {
            "gatewayClassName": TEXT,
            "listeners": many(
                record(
                    {"name": TEXT, "protocol": one_of("HTTPS"), "port": PORT, "hostname": HOST,
                     "tls": record({"mode": one_of("Terminate"), "certificateRefs": many(REFERENCE)})}
                )
            ),
        }
    ),
    "gateway.networking.k8s.io/v1 HTTPRoute": record(
        {
            "parentRefs": many(REFERENCE),
            "hostnames": many(HOST),
            "rules": many(record({"backendRefs": many(record({"name": TEXT, "port": PORT}))})),
        }
    ),
    "keda.sh/v1alpha1 ScaledObject": record(
        {
            "scaleTargetRef": REFERENCE,
            "minReplicaCount": WHOLE,
            "maxReplicaCount": WHOLE,
            "fallback": record({"failureThreshold": WHOLE, "replicas": WHOLE}),
            "advanced": record(
                {"horizontalPodAutoscalerConfig": record({"behavior": record({}, scaleUp=SCALING, scaleDown=SCALING)})}
            ),
            "triggers": many(
                {
                    "oneOf": [
                        record({"type": one_of("cpu"), "metricType": one_of("Utilization"),
                                "metadata": record({"value": TEXT})}),
                        # KEDA falls back only for metrics that are divided by the replicas.
                        record({"type": one_of("prometheus"), "metricType": one_of("AverageValue"),
                                "metadata": record({"serverAddress": TEXT, "query": TEXT, "threshold": TEXT})}),
                    ]
                }
            ),
        }
    ),
    "external-secrets.io/v1 ExternalSecret": record(
        {
            "refreshInterval": DURATION,
            "secretStoreRef": record({"kind": one_of("SecretStore", "ClusterSecretStore"), "name": TEXT}),
            "target": record({"name": TEXT, "creationPolicy": one_of("Owner", "Merge")}),
            "dataFrom": many(record({"extract": record({"key": TEXT})})),
        }
    ),
}  # fmt: skip


def check(manifest: Manifest) -> None:
    """Check a custom resource. Raises jsonschema's ValidationError, also for a kind that is not listed."""
    kind = f"{manifest['apiVersion']} {manifest['kind']}"
    if kind not in SPECS:
        raise jsonschema.ValidationError(f"{kind} is neither a kind of Kubernetes nor listed in custom_resources.py.")
    validator(kind).validate(manifest)


@cache
def validator(kind: str) -> Any:
    metadata = record({"name": TEXT, "namespace": TEXT, "labels": TEXTS}, annotations=TEXTS)
    whole = record({"apiVersion": TEXT, "kind": TEXT, "metadata": metadata, "spec": SPECS[kind]})
    return jsonschema.Draft202012Validator(whole)

"""The documents made from the contract: /effects.json and /openapi.json. Nothing in them is typed twice."""

from typing import Any

import msgspec

from services.board.contract.effects import EFFECTS, Effect
from services.board.contract.operations import INTERFACE_VERSION, OPERATIONS, SERVICE, UNTRUSTED_FIELDS, Operation
from services.board.contract.schemas import EffectContract, EffectOperation, EffectRecord
from services.board.links import Links

from .openapi import openapi


def documents(links: Links) -> dict[str, bytes]:
    """Every fixed document by its path, ready to be sent."""
    return {
        "/effects.json": msgspec.json.encode(effects()),
        "/openapi.json": msgspec.json.encode(openapi(links)),
    }


def effects() -> EffectContract:
    """The effect authorization contract: every write and every authenticated read, and nothing else."""
    return EffectContract(
        version=INTERFACE_VERSION,
        service=SERVICE,
        header="Agent-Effect",
        header_syntax="RFC 9651 Item (Token)",
        principle="Authorization follows the durable effect, not the HTTP verb.",
        default="deny",
        effects=[effect_record(effect) for effect in EFFECTS],
        operations=[effect_operation(op) for op in OPERATIONS if op.effect.durable or op.effect.needs_token],
        untrusted_fields=list(UNTRUSTED_FIELDS),
        documents=[],
    )


def effect_record(effect: Effect) -> EffectRecord:
    return EffectRecord(
        effect.token, effect.durable, effect.scope, effect.reversible, auth(effect), effect.description
    )  # fmt: skip


def effect_operation(operation: Operation) -> EffectOperation:
    return EffectOperation(
        operation_id=operation.operation_id,
        method=operation.method,
        path=operation.path,
        effect=operation.effect.token,
        auth=auth(operation.effect),
        idempotent=operation.idempotent or not operation.effect.durable,
        idempotency_key="optional" if operation.idempotency_key else "ignored",
        rate_limit=operation.limit.name if operation.limit else None,
        success=[operation.status] + ([] if operation.effect.durable else [304]),
    )


def auth(effect: Effect) -> Any:
    return "bearer" if effect.needs_token else "none"

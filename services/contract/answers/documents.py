"""Documents for programs, and their effects."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from .fields import Additions, Description, EffectName, Method, ServiceName, Sha256, Version

Path = Annotated[str, Meta(description="The path.")]
Authorization = Annotated[Literal["none", "bearer"], Meta(description="Whether a token is needed.")]


class EffectRecord(Struct):
    """An effect that an operation can have."""

    effect: EffectName
    durable: Annotated[bool, Meta(description="Whether something changes.")]
    scope: Annotated[str, Meta(description="Who can see the change.")]
    reversible: Annotated[bool | None, Meta(description="Whether the caller can undo it; null for reads.")]
    auth: Authorization
    description: Description


class EffectOperation(Struct):
    """A permitted write, or an authenticated read."""

    operation_id: Annotated[str, Meta(description="The name of the operation here.")]
    method: Method
    path: Path
    effect: EffectName
    auth: Authorization
    idempotent: Annotated[bool, Meta(description="Whether it can be repeated as it is.")]
    idempotency_key: Annotated[
        Literal["optional", "ignored"], Meta(description="Whether an Idempotency-Key makes it safe to repeat.")
    ]
    rate_limit: Annotated[str | None, Meta(description="The name of the limit, or null.")]
    success: Annotated[list[int], Meta(description="The statuses of success.")]


class DocumentRecord(Struct):
    """A public document and its digest, for pinning."""

    path: Path
    sha256: Sha256
    version: Version


class LogRecord(Struct):
    """The verifiable log."""

    checkpoint: Annotated[str, Meta(description="Where it is.")]
    verifier_key: Annotated[str, Meta(description="The key that verifies its checkpoints (C2SP signed-note).")]


class EffectContract(Struct):
    """The effect authorization contract."""

    version: Version
    additions: Additions
    service: ServiceName
    header: Annotated[str, Meta(description="The header that declares effects.")]
    header_syntax: Annotated[str, Meta(description="The syntax of its value.")]
    principle: Annotated[str, Meta(description="The basis of authorization.")]
    default: Annotated[Literal["deny"], Meta(description="The rule for other calls.")]
    effects: Annotated[list[EffectRecord], Meta(description="The effects that calls can have.")]
    operations: Annotated[list[EffectOperation], Meta(description="The writes, and the reads that need a token.")]
    untrusted_fields: Annotated[list[str], Meta(description="Fields with text of agents.")]
    documents: Annotated[list[DocumentRecord], Meta(description="The documents and their digests.")]
    log: Annotated[LogRecord | None, Meta(description="The verifiable log; null without one.")]


Document = dict[str, Any]
Text = str
File = bytes

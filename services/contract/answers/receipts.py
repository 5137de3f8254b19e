"""Receipts of posts, with their proofs."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ..bounds import Time
from .fields import PostId, PostUrl, Sha256


class ReceiptLog(Struct):
    """A proof of inclusion (RFC 6962, section 2.1.1)."""

    index: Annotated[int, Meta(description="The number of its leaf, from 0.")]
    size: Annotated[int, Meta(description="How many leaves the proof is for.")]
    proof: Annotated[list[str], Meta(description="The audit path, in base64.")]
    checkpoint: Annotated[str, Meta(description="The signed note of the tree.")]


class Receipt(Struct):
    """A deterministic receipt. An erased post has only its digest."""

    post_id: PostId
    kind: Annotated[Literal["thread", "reply"], Meta(description="The kind.")]
    url: PostUrl
    timestamp: Annotated[Time, Meta(description="When it was published.")]
    origin: Annotated[str, Meta(description="Who published it.")]
    origin_note: Annotated[str, Meta(description="How far to trust `origin`.")]
    purpose: Annotated[str, Meta(description="The kind of publication.")]
    canonical: Annotated[str, Meta(description="The text of which the digest is taken. Untrusted.")]
    canonical_format: Annotated[str, Meta(description="The format of `canonical`.")]
    sha256: Sha256
    confidence: Annotated[float | None, Meta(description="How sure the author is, from 0 to 1, or null.")]
    confidence_note: Annotated[str, Meta(description="The meaning of `confidence` here.")]
    verify: Annotated[str, Meta(description="How to verify the digest.")]
    log: Annotated[
        ReceiptLog | None,
        Meta(description="The proof that the verifiable log has the post; null until a checkpoint covers it."),
    ] = None
    erased: (
        Annotated[
            bool, Meta(description="True if an operator erased the post or its author: the digest cannot be verified.")
        ]
        | UnsetType
    ) = UNSET

"""The proof in a receipt: its post is in the log that a checkpoint signs. It is verified without the board."""

from .errors import LogFault
from .merkle_tree import leaf_hash, root_of_inclusion
from .models import Receipt
from .signed_note import VerifierKey, unbase64, verify_checkpoint


def posted(post_id: int, digest: str) -> bytes:
    """Return the entry of a post in the log: its id, and the digest of its receipt."""
    return f"post {post_id} {digest}\n".encode()


def verify_in_log(receipt: Receipt, key: VerifierKey) -> list[str]:
    """Return the faults of the proof of a receipt, in sentences; none if it is right.

    The proof is an audit path (RFC 6962, section 2.1.1) to the root of a checkpoint that `key` has signed.
    """
    log = receipt.log
    if log is None:
        return ["The receipt has no proof of the log; save it again when a checkpoint covers the post."]
    try:
        checkpoint = verify_checkpoint(log.checkpoint, key)
    except LogFault as fault:
        return [str(fault)]
    if checkpoint.size != log.size:
        return ["The checkpoint in the receipt has another size than its proof."]
    hashes = [unbase64(encoded) for encoded in log.proof]
    leaf = leaf_hash(posted(receipt.post_id, receipt.sha256))
    proof = [content for content in hashes if content is not None and len(content) == len(leaf)]
    root = root_of_inclusion(leaf, log.index, log.size, proof)
    right = len(proof) == len(hashes) and root == checkpoint.root
    return [] if right else ["The proof does not join the post to the checkpoint."]

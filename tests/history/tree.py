"""The judge of the verifiable log: all checkpoints and proofs of a history belong to the one tree of its log."""

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence

from agent_board_client.errors import LogFault
from agent_board_client.merkle_tree import leaf_hash, node_hash, root_of_inclusion
from agent_board_client.receipt_log import posted
from agent_board_client.signed_note import Checkpoint, VerifierKey, verifier_key, verify_checkpoint
from tests.history.record import Call


def one_tree(calls: Sequence[Call]) -> Iterator[str]:
    """Every checkpoint is signed and has the root over the first posts; every receipt is in the tree of its own."""
    entries = next((call.seen["entries"] for call in reversed(calls) if call.does == "read_entries"), None)
    if entries is None:
        return
    key = verifier_key(calls[0].sent["log_key"])
    log = [text.encode() if not post else posted(post, text) for post, text in entries]
    places = {post: place for place, (post, _) in enumerate(entries) if post}
    digests = dict(entries)
    roots: dict[int, bytes] = {}
    for call in calls:
        for note in notes_of(call):
            try:
                checkpoint = verify_checkpoint(note, key)
            except LogFault as fault:
                yield f"{call.process} saw a checkpoint that is none: {fault}"
                continue
            if roots.setdefault(checkpoint.size, checkpoint.root) != checkpoint.root:
                yield f"there are two trees of {checkpoint.size} entries"
        yield from wrong_receipt(call, digests, places, key)
    yield from wrong_roots(roots, log)


def notes_of(call: Call) -> list[str]:
    log = call.seen.get("log")
    return [call.seen["note"]] if "note" in call.seen else [log["checkpoint"]] if log else []


def wrong_receipt(call: Call, digests: Mapping[int, str], places: Mapping[int, int], key: VerifierKey) -> Iterator[str]:
    """Whether a receipt has another digest than the log, or its proof leads to another root than its checkpoint's."""
    if call.does != "read_receipt" or "sha256" not in call.seen:
        return
    post, digest, log = call.seen["post_id"], call.seen["sha256"], call.seen["log"]
    if digest != digests.get(post):
        yield f"the receipt of post {post} has the digest {digest}, and the log has {digests.get(post)}"
    if log is not None:
        proof = [b64decode(part) for part in log["proof"]]
        root = root_of_inclusion(leaf_hash(posted(post, digest)), log["index"], log["size"], proof)
        checkpoint: Checkpoint = verify_checkpoint(log["checkpoint"], key)
        if (root, log["size"], log["index"]) != (checkpoint.root, checkpoint.size, places.get(post)):
            yield f"the proof in the receipt of post {post} does not lead to its checkpoint"


def wrong_roots(roots: dict[int, bytes], log: Sequence[bytes]) -> Iterator[str]:
    """Which roots are not those of the log: the tree is built once, leaf by leaf."""
    peaks: list[tuple[int, bytes]] = []
    for size, entry in enumerate(log, 1):
        level, node = 0, leaf_hash(entry)
        while peaks and peaks[-1][0] == level:
            level, node = level + 1, node_hash(peaks.pop()[1], node)
        peaks.append((level, node))
        if size in roots and roots.pop(size) != root_over(peaks):
            yield f"the checkpoint of {size} entries is not of this log"
    yield from (f"the checkpoint of {size} entries is ahead of the log" for size in roots)


def root_over(peaks: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the root over complete subtrees, the largest first (RFC 6962, section 2.1)."""
    root = peaks[-1][1]
    for _, peak in peaks[-2::-1]:
        root = node_hash(peak, root)
    return root

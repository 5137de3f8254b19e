"""The proofs of receipts that the verifiable log has their posts (interface 7.7, 7.10)."""

import base64

from services.board.database.connections import Database
from services.contract.answers.receipts import ReceiptLog

from .checkpoints import read_hashes
from .merkle_tree import inclusion_proof
from .tiles import edge, path

PLACE = """
SELECT size, checkpoint, (SELECT $1 - b.first_id + b.first_index + 1 FROM log_begins b WHERE b.first_id <= $1
    ORDER BY b.generation DESC LIMIT 1) AS index
FROM log_state
"""


async def read_receipt_log(reads: Database, post_id: int) -> ReceiptLog | None:
    """Return the proof that the newest checkpoint covers a post; None if it does not yet, or there is no log."""
    place = await reads.fetchrow(PLACE, post_id)
    if place is None or place["index"] is None or place["index"] >= place["size"]:
        return None
    index, size = place["index"], place["size"]
    hashes = await read_hashes(reads, dict.fromkeys([*path(index, size), *edge(size)]))
    proof = inclusion_proof(index, size, hashes.complete)
    return ReceiptLog(index, size, [base64.b64encode(each).decode() for each in proof], place["checkpoint"])

"""The verifiable log, and the receipt that proves a post's place in it."""

from typing import Final

from services.board.posts import receipts
from services.board.verifiable_log import checkpoints, proofs
from services.board.verifiable_log.tiles import parse_bundle, parse_tile

from .row import Row, plain

# fmt: off
ROWS: Final[dict[str, Row]] = {
    "read_receipt": plain(lambda parts, call:
        receipts.read_receipt(parts.reads, call.path["id"], parts.links, proofs.read_receipt_log)),
    "read_checkpoint": plain(lambda parts, _: checkpoints.read_checkpoint(parts.reads)),
    "read_log_entries": plain(lambda parts, call:
        checkpoints.read_entries(parts.reads, parse_bundle(call.path["bundle"]))),
    "read_log_tile": plain(lambda parts, call:
        checkpoints.read_tile(parts.reads, parse_tile(call.path["tile"]))),
}
# fmt: on

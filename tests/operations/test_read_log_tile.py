"""read_log_tile: GET /log/tile/{tile} (interface 7.10; C2SP tlog-tiles)."""

import hashlib

from tests.operations.hand import Operator
from tests.web import Agent, Web


def test_a_hash_is_that_of_its_entry_and_never_changes(alice: Agent, web: Web, operator: Operator) -> None:
    alice.thread()
    operator.sign()
    tile, bundle = web.get("/log/tile/0/000.p/2"), web.get("/log/tile/entries/000.p/2")
    assert (tile.status, tile.effect) == (200, "none")
    assert tile.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    first, content = bundle.content[2:10], bundle.content[12:]
    assert first == b"begin 1\n"
    assert tile.content == b"".join(hashlib.sha256(b"\x00" + entry).digest() for entry in (first, content))


def test_a_tile_that_no_checkpoint_covers_appears_with_one(alice: Agent, web: Web, operator: Operator) -> None:
    operator.sign()
    size = int(web.get("/log/checkpoint").content.splitlines()[1])
    number, place = divmod(size, 256)
    path = f"/log/tile/0/{number:03}.p/{place + 1}" if place < 255 else f"/log/tile/0/{number:03}"
    assert web.get(path).status == 404
    alice.thread()
    assert web.get(path).status == 404
    operator.sign()
    assert web.get(path).status == 200

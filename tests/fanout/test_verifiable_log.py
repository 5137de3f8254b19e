"""The verifiable log as the fan-out writes it and as its readers get it."""

import base64
import hashlib
import time

import asyncpg
import pytest

from services.board.errors import NotFound
from services.board.verifiable_log import checkpoints, merkle_tree, verifying
from services.board.verifiable_log.checkpoints import LogMismatchError
from services.board.verifiable_log.proofs import read_receipt_log
from services.board.verifiable_log.signing import Signer, make_key
from services.board.verifiable_log.tiles import Tile
from services.board.verifiable_log.verifying import verify_log
from services.fanout.checkpoints import Checkpoints
from services.fanout.worker import Work
from services.process.metrics import Registry
from tests.fanout.test_inboxes import post
from tests.load import Member
from tests.metrics import metric
from tests.operations.hand import SIGNER, sign_all

DIGESTS = "SELECT id, encode(digest, 'hex') AS digest FROM posts ORDER BY id"
STATE = "SELECT size, root, checkpoint FROM log_state"
LEAVE_OUT = "UPDATE log_head SET last_id = last_id + $1"


async def publish(db: asyncpg.Connection, member: Member, count: int) -> None:
    for _ in range(count):
        await post(db, member)


async def leaves(db: asyncpg.Connection) -> list[bytes]:
    """The entries as the definition has them, on a board without restores."""
    entries = [f"post {row['id']} {row['digest']}\n".encode() for row in await db.fetch(DIGESTS)]
    return [merkle_tree.leaf_hash(entry) for entry in (b"begin 1\n", *entries)]


def defined_root(hashes: list[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1, written out from its definition."""
    if len(hashes) == 1:
        return hashes[0]
    middle = 1 << ((len(hashes) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + defined_root(hashes[:middle]) + defined_root(hashes[middle:])).digest()


async def test_the_root_is_that_of_all_posts_at_every_growth(db: asyncpg.Connection, alice: Member) -> None:
    for count in (0, 1, 2, 252, 1, 3, 300):
        await publish(db, alice, count)
        await sign_all(db)
        state = await db.fetchrow(STATE)
        expected = await leaves(db)
        assert state is not None
        assert (state["size"], state["root"]) == (len(expected), defined_root(expected))
        assert state["checkpoint"].splitlines()[1] == str(state["size"])
    assert await verify_log(db) == []


async def test_tiles_and_entries_are_those_of_the_leaves(db: asyncpg.Connection, alice: Member) -> None:
    await publish(db, alice, 300)
    await sign_all(db)
    expected = await leaves(db)
    assert await checkpoints.read_tile(db, Tile(0, 0)) == b"".join(expected[:256])
    assert await checkpoints.read_tile(db, Tile(0, 1, 45)) == b"".join(expected[256:])
    assert await checkpoints.read_tile(db, Tile(1, 0, 1)) == defined_root(expected[:256])
    bundle = await checkpoints.read_entries(db, Tile(0, 0, 1))
    assert bundle == b"\x00\x08begin 1\n"


@pytest.mark.parametrize("tile", [Tile(0, 0), Tile(0, 1, 1), Tile(1, 0, 1), Tile(0, 0, 12)])
async def test_a_tile_that_no_checkpoint_covers_does_not_exist(
    db: asyncpg.Connection, alice: Member, tile: Tile
) -> None:
    await publish(db, alice, 10)
    await sign_all(db)
    await publish(db, alice, 5)
    with pytest.raises(NotFound):
        await checkpoints.read_tile(db, tile)


async def test_a_receipt_has_a_proof_once_a_checkpoint_covers_its_post(db: asyncpg.Connection, alice: Member) -> None:
    await publish(db, alice, 260)
    await sign_all(db)
    await publish(db, alice, 1)
    expected, state = await leaves(db), await db.fetchrow(STATE)
    assert state is not None
    for post_id in (1, 255, 256, 257, 260):
        log = await read_receipt_log(db, post_id)
        assert log is not None
        assert (log.index, log.size, log.checkpoint) == (post_id, 261, state["checkpoint"])
        proof = [base64.b64decode(each) for each in log.proof]
        assert merkle_tree.root_of_inclusion(expected[post_id], post_id, 261, proof) == state["root"]
    assert await read_receipt_log(db, 261) is None


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE posts SET digest = sha256('x') WHERE id = 3",
        "DELETE FROM posts WHERE id = 3",
        "UPDATE posts p SET digest = q.digest FROM posts q WHERE p.id IN (3, 4) AND q.id = 7 - p.id",
    ],
)
async def test_changed_posts_are_neither_signed_nor_verified(
    db: asyncpg.Connection, alice: Member, change: str
) -> None:
    await publish(db, alice, 5)
    await sign_all(db)
    before = await db.fetchrow(STATE)
    await db.execute(change)
    await publish(db, alice, 1)
    with pytest.raises(LogMismatchError):
        await sign_all(db)
    assert await db.fetchrow(STATE) == before
    assert await verify_log(db) == ["The verifiable log has another root than the posts."]


# Statements that change posts or the stored log, and the report of verify about each.
CHANGES = {
    "UPDATE posts SET digest = sha256('x') WHERE id = 3": "another hash than the posts at level 1, position 0.",
    "UPDATE posts SET digest = sha256('x') WHERE id = 511": "another hash than the posts at level 1, position 1.",
    "UPDATE posts SET digest = sha256('x') WHERE id = 512": "another root than the posts.",
    "UPDATE log_nodes SET hash = sha256('x')": "another hash than the posts at level 1, position 0.",
    "DELETE FROM log_nodes WHERE position = 1": "another hash than the posts at level 1, position 1.",
    "UPDATE log_begins SET entry = 'begin'": "another hash than the posts at level 1, position 0.",
    "UPDATE log_state SET root = sha256('x')": "another root than the posts.",
    "UPDATE log_state SET size = 514": "another root than the posts.",
}
# Statements that leave another text with a right signature, the text with a wrong one, or no note.
OTHER_CHECKPOINTS = (
    "UPDATE log_state SET checkpoint = (SELECT checkpoint FROM older)",
    "UPDATE log_state SET checkpoint = left(checkpoint, -8) || 'AAAAA==' || E'\\n'",
    "UPDATE log_state SET checkpoint = left(checkpoint, -8)",
)


async def test_verify_finds_every_change(
    db: asyncpg.Connection, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "HASHES_PER_STEP", 1)
    await publish(db, alice, 512)
    await sign_all(db)
    for change, sentence in CHANGES.items():
        undone = db.transaction()
        await undone.start()
        await db.execute(change)
        assert await verify_log(db) == [f"The verifiable log has {sentence}"], change
        await undone.rollback()
    assert await verify_log(db) == []


@pytest.mark.parametrize("change", OTHER_CHECKPOINTS)
async def test_verify_finds_a_checkpoint_that_does_not_sign_the_root(
    db: asyncpg.Connection, alice: Member, change: str
) -> None:
    await publish(db, alice, 1)
    await sign_all(db)
    await db.execute("CREATE TEMPORARY TABLE older AS SELECT checkpoint FROM log_state")
    await publish(db, alice, 1)
    await sign_all(db)
    await db.execute(change)
    assert await verify_log(db) == ["The newest checkpoint of the verifiable log does not sign its root."]


@pytest.mark.parametrize("signed", [0, 3, 4])
async def test_the_log_begins_again_after_ids_that_a_restore_left_out(
    db: asyncpg.Connection, alice: Member, signed: int
) -> None:
    began = int(time.time())
    for number in range(4):
        if number == signed > 0:
            await sign_all(db)
        await publish(db, alice, 1)
    await db.execute(LEAVE_OUT, 1000)
    if signed == 4:
        await sign_all(db)
    await publish(db, alice, 2)
    await sign_all(db)
    state = await db.fetchrow(STATE)
    assert state is not None
    begun = await db.fetchval("SELECT max(generation) FROM log_begins")
    assert began <= begun <= time.time()
    assert state["checkpoint"].splitlines()[:2] == [f"board.example/log/{begun}", "8"]
    root = base64.b64encode(defined_root((await leaves(db))[:5])).decode()
    entries = [row["entry"] for row in await db.fetch(checkpoints.ENTRIES, 0, 100)]
    assert entries[5] == f"begin {begun} 5 {root}\n".encode()
    assert [entry.split()[1] for entry in entries[:5]] == [b"1", b"1", b"2", b"3", b"4"]
    assert [entry.split()[1] for entry in entries[6:]] == [b"1005", b"1006"]
    log = await read_receipt_log(db, 1006)
    assert log is not None
    assert log.index == 7
    assert await verify_log(db) == []


async def test_the_first_checkpoint_after_a_gap_has_the_root_before_it(db: asyncpg.Connection, alice: Member) -> None:
    await publish(db, alice, 2)
    await db.execute(LEAVE_OUT, 7)
    steps = [await checkpoints.extend(db, SIGNER) for _ in range(3)]
    assert [(step.leaves, step.behind) for step in steps if step] == [(2, 7), (0, 7), (1, 0)]


async def test_of_two_processes_one_signs(db: asyncpg.Connection, other_db: asyncpg.Connection, alice: Member) -> None:
    await publish(db, alice, 1)
    async with other_db.transaction():
        await other_db.fetchrow(checkpoints.LOCK)
        assert await checkpoints.extend(db, SIGNER) is None
    assert await checkpoints.extend(db, SIGNER) is not None


async def test_another_key_signs_the_same_tree_again(db: asyncpg.Connection, alice: Member) -> None:
    await publish(db, alice, 1)
    await sign_all(db)
    before = await db.fetchrow(STATE)
    other = Signer(make_key("board.example/log"))
    await checkpoints.extend(db, other)
    after = await db.fetchrow(STATE)
    assert before is not None
    assert after is not None
    assert (after["size"], after["root"]) == (before["size"], before["root"])
    assert after["checkpoint"] != before["checkpoint"]
    assert await checkpoints.read_verifier_key(db) == other.verifier_key(1)


async def test_a_fan_out_signs_and_counts_its_steps(db: asyncpg.Connection, alice: Member) -> None:
    registry = Registry()
    consumer = Checkpoints(SIGNER, registry)
    await publish(db, alice, 2)
    assert await consumer.step(db) is Work.NONE
    assert metric(registry, 'agent_board_log_steps_total{outcome="signed"}') == 1
    assert metric(registry, "agent_board_log_oldest_seconds") == 0
    # it rests for ten seconds
    await publish(db, alice, 1)
    assert await consumer.step(db) is Work.NONE
    assert metric(registry, 'agent_board_log_steps_total{outcome="signed"}') == 1
    # the log is late from the first failure on
    consumer.failed(OSError())
    assert metric(registry, "agent_board_log_oldest_seconds") > 0
    consumer.looked = None
    await consumer.step(db)
    assert metric(registry, "agent_board_log_oldest_seconds") == 0


async def test_a_fan_out_refuses_to_sign_changed_posts(db: asyncpg.Connection, alice: Member) -> None:
    registry = Registry()
    consumer = Checkpoints(SIGNER, registry)
    await publish(db, alice, 2)
    await consumer.step(db)
    await db.execute("UPDATE posts SET digest = sha256('x') WHERE id = 1")
    consumer.looked = None
    assert await consumer.step(db) is Work.NONE
    assert metric(registry, 'agent_board_log_steps_total{outcome="refused"}') == 1
    assert metric(registry, "agent_board_log_oldest_seconds") > 0

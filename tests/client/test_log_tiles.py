"""Tiles of every level give the subtrees of the tree that its leaves have."""

import pytest

from agent_board_client.errors import LogFault
from agent_board_client.log_audit import Columns
from agent_board_client.log_entries import Begin, Posted, parse_bundle, parse_entry
from agent_board_client.log_tiles import Tiles, fold, tile_path
from agent_board_client.merkle_tree import leaf_hash, range_root

SIZE = 70_000
DIGEST = "0f" * 32


@pytest.fixture(scope="module")
def rows() -> list[list[bytes]]:
    """The hashes of each level of tiles."""
    rows = [[leaf_hash(b"%d" % index) for index in range(SIZE)]]
    while len(rows[-1]) >= 256:
        rows.append([fold(rows[-1][at : at + 256]) for at in range(0, len(rows[-1]) - 255, 256)])
    return rows


def tiles(rows: list[list[bytes]], size: int) -> Tiles:
    """The tiles of the first leaves, served under the paths that C2SP gives them."""
    found = {}
    for level, row in enumerate(rows):
        for number in range(-(-(size >> 8 * level) // 256)):
            hashes = row[: size >> 8 * level][number * 256 : (number + 1) * 256]
            found[tile_path(level, number, len(hashes))] = b"".join(hashes)
    return Tiles(found.__getitem__, size)


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, SIZE])
def test_the_root_follows_from_tiles_and_from_leaves(rows: list[list[bytes]], size: int) -> None:
    def complete(level: int, index: int) -> bytes:
        return fold(rows[0][index << level : index + 1 << level])

    served = tiles(rows, size)
    assert (
        root_of(Columns(served), rows[0][:size])
        == range_root(0, size, served.complete)
        == range_root(0, size, complete)
    )


def test_a_wrong_hash_in_any_level_is_found(rows: list[list[bytes]]) -> None:
    for level, row in enumerate(rows):
        wrong = [*rows[:level], [*row[:-1], bytes(32)], *rows[level + 1 :]]
        columns = Columns(tiles(wrong, SIZE))
        with pytest.raises(LogFault, match=f"of level {level} does not follow"):
            root_of(columns, rows[0])


def root_of(columns: Columns, leaves: list[bytes]) -> bytes:
    for leaf in leaves:
        columns.add(leaf)
    columns.close()
    return columns.root(len(leaves))


@pytest.mark.parametrize(
    ("path", "stated"),
    [
        (tile_path(0, 0), "tile/0/000"),
        (tile_path(1, 999, 7), "tile/1/999.p/7"),
        (tile_path(0, 1067), "tile/0/x001/067"),
        (tile_path("entries", 1_234_067, 255), "tile/entries/x001/x234/067.p/255"),
    ],
)
def test_paths_have_groups_of_three_digits(path: str, stated: str) -> None:
    assert path == stated


@pytest.mark.parametrize("content", [b"", bytes(31), bytes(33), bytes(64)])
def test_a_tile_of_another_length_is_refused(content: bytes) -> None:
    with pytest.raises(LogFault, match="length"):
        Tiles(lambda _: content, 1).complete(0, 0)


def test_a_full_tile_serves_for_a_part() -> None:
    hashes = [leaf_hash(b"%d" % index) for index in range(256)]
    assert Tiles(lambda _: b"".join(hashes), 3).complete(0, 2) == hashes[2]


def test_a_bundle_has_exactly_its_entries() -> None:
    content = b"\x00\x03one\x00\x00\x00\x03two"
    assert parse_bundle(content, 3) == [b"one", b"", b"two"]
    for wrong, width in [(content, 2), (content, 4), (content[:-1], 3), (content + b"\x00", 3), (b"\x00", 1)]:
        with pytest.raises(LogFault, match="bundle"):
            parse_bundle(wrong, width)


def test_entries_have_one_form() -> None:
    root = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    assert parse_entry(f"post 7 {DIGEST}\n".encode()) == Posted(7, DIGEST)
    assert parse_entry(f"begin 2 5 {root}\n".encode()) == Begin(2, 5, bytes(range(32)))
    for wrong in (
        "", "begin 1", "begin 2\n", f"begin 1 5 {root}\n", f"begin 2 0 {root}\n", f"begin 02 5 {root}\n",
        f"begin 2 5 {root[4:]}\n", f"begin 2 5 {root}", f"post 0 {DIGEST}\n", f"post 07 {DIGEST}\n",
        f"post 7 {DIGEST}", f"post 7 {DIGEST.upper()}\n", f"post 7  {DIGEST}\n", f"post 7 {DIGEST}\n\n",
        "post 7 \u00e9\n",
    ):  # fmt: skip
        with pytest.raises(LogFault, match="neither a post nor"):
            parse_entry(wrong.encode())

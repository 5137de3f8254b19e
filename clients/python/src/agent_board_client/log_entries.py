"""The entries of a log, and the bundles in which a board serves them (C2SP tlog-tiles, "Log entries")."""

import re
from base64 import b64encode
from dataclasses import dataclass

from .errors import LogFault
from .merkle_tree import EMPTY_ROOT
from .signed_note import ROOT_BYTES, canonical_number, unbase64

LENGTH_BYTES = 2
FIRST = b"begin 1\n"
POSTED = re.compile(r"post ([0-9]+) ([0-9a-f]{64})\n")
BEGIN = re.compile(r"begin ([0-9]+) ([0-9]+) (\S+)\n")


@dataclass(frozen=True)
class Begin:
    """The begin of a generation, with the size and the root of the tree before it."""

    generation: int
    size: int
    root: bytes

    @property
    def text(self) -> bytes:
        """The entry in its one form."""
        return f"begin {self.generation} {self.size} {b64encode(self.root).decode()}\n".encode()


@dataclass(frozen=True)
class Posted:
    """A post and the digest of its receipt."""

    post_id: int
    digest: str


Entry = Begin | Posted


def posted(post_id: int, digest: str) -> bytes:
    """Return the entry of a post."""
    return f"post {post_id} {digest}\n".encode()


def false_begin(index: int) -> LogFault:
    """Return the fault of a begin with another size or root than the tree before it."""
    return LogFault(f"The entry {index} does not have the size and the root of the log before it.")


def parse_bundle(content: bytes, width: int) -> list[bytes]:
    """Return the entries of a bundle, each of which has its length before it (C2SP tlog-tiles, "Log entries").

    Raises LogFault unless the bundle holds exactly `width` entries.
    """
    entries, at = [], 0
    while at < len(content):
        start = at + LENGTH_BYTES
        at = start + int.from_bytes(content[at:start], "big")
        entries.append(content[start:at])
    if at != len(content) or len(entries) != width:
        raise LogFault("A bundle of entries does not have the length that the checkpoint asks for.")
    return entries


def parse_entry(content: bytes) -> Entry:
    """Return an entry of the log. Raises LogFault if it is of no known kind, or not in its one form."""
    if content == FIRST:
        return Begin(1, 0, EMPTY_ROOT)
    entry = parse_text(content.decode("ascii", "replace"))
    if entry is None:
        raise LogFault("An entry of the log is neither a post nor the begin of a generation.")
    return entry


def parse_text(text: str) -> Entry | None:
    if found := POSTED.fullmatch(text):
        post_id = canonical_number(found[1])
        return Posted(post_id, found[2]) if post_id else None
    if found := BEGIN.fullmatch(text):
        return parse_begin(canonical_number(found[1]), canonical_number(found[2]), unbase64(found[3]))
    return None


def parse_begin(generation: int | None, size: int | None, root: bytes | None) -> Begin | None:
    if generation is None or generation < 2 or not size or root is None or len(root) != ROOT_BYTES:
        return None
    return Begin(generation, size, root)

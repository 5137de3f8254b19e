"""The log of a stack as anyone reads it over HTTP: its entries give the root of every checkpoint that was seen."""

from agent_board_client.signed_note import Checkpoint, VerifierKey, verifier_key, verify_checkpoint
from deploy.compose.waiting import until
from tests.history.tree import wrong_roots
from tests.stack.make import Board
from tests.verifiable_log.reading import read_entries
from tests.web import Web

ENTRIES = "SELECT (SELECT count(*) FROM posts) + (SELECT count(*) FROM log_begins)"
COVERED = f"SELECT checkpoint IS NOT NULL AND size = ({ENTRIES}) FROM log_state"
POSTS = "SELECT 'post ' || id || ' ' || encode(digest, 'hex') FROM posts ORDER BY id"
# A checkpoint is signed every 10 s.
SIGNED_SECONDS = 120


class LogReader:
    """Reads the log. `entries` and `origin` are those of the last time, `roots` all that were seen, by size."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.entries: list[bytes] = []
        self.origin = ""
        self.roots: dict[int, bytes] = {}
        with Web(board.url) as web:
            self.key: VerifierKey = verifier_key(web.get("/effects.json").json["log"]["verifier_key"])

    def sees_one_log(self) -> None:
        """Assert that the log goes on from what was read before, up to all posts."""
        before, origin = self.entries, self.origin
        self.read()
        assert origin in ("", self.origin)
        assert self.entries[: len(before)] == before

    def sees_loss(self, left: int) -> None:
        """Assert that a restore left this many of the entries that were read, and that the log begins again there."""
        before, origin = self.entries, self.origin
        until(lambda: int(self.board.sql(ENTRIES)) > left, SIGNED_SECONDS, "The log did not begin again.")
        self.roots = {size: root for size, root in self.roots.items() if size <= left}
        self.read()
        assert self.origin != origin
        assert self.entries[:left] == before[:left]
        assert self.entries[left].startswith(b"begin ")
        assert left < len(before)

    def look(self, web: Web) -> Checkpoint:
        """Read the newest checkpoint, and keep its root until the entries are read."""
        note = web.get("/log/checkpoint").content.decode()
        checkpoint = verify_checkpoint(note, self.key)
        self.origin = note.partition("\n")[0]
        assert self.roots.setdefault(checkpoint.size, checkpoint.root) == checkpoint.root
        return checkpoint

    def read(self) -> None:
        """Read the log. Assert that it has all posts of the board, and every root that was seen."""
        until_covered(self.board)
        with Web(self.board.url) as web:
            self.entries = read_entries(web, self.look(web).size)
        assert list(wrong_roots(dict(self.roots), self.entries)) == []
        posts = [entry.decode().rstrip("\n") for entry in self.entries if not entry.startswith(b"begin ")]
        assert posts == self.board.sql(POSTS).splitlines()


def until_covered(board: Board) -> None:
    """Wait until the newest checkpoint covers all posts."""
    until(lambda: board.sql(COVERED) == "t", SIGNED_SECONDS, "No checkpoint covers the newest posts.")

"""A small board with a verifiable log, which tests can make dishonest."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_board_client.merkle_tree import inclusion_proof, leaf_hash, range_root
from agent_board_client.signed_note import VerifierKey
from tests.client.log_records import page, reply, thread

NAME = "board.example/log"
FOLLOW = ("log", "follow", "--once")
AUDIT = ("log", "audit")
SEEN = 300


class LogBoard:
    """The entries, posts and actions of a board; `answers` replaces the answer to a path, None with a 404.

    `failing` is the status of every answer, if there is one. `calls` counts the requests.
    """

    def __init__(self) -> None:
        self.private = Ed25519PrivateKey.generate()
        self.entries = [b"begin 1\n"]
        self.generation = 1
        self.next_id = 1
        self.posts: dict[int, dict[str, Any]] = {}
        self.confidences: dict[int, str] = {}
        self.actions: list[dict[str, Any]] = []
        self.answers: dict[str, bytes | None] = {}
        self.address = ""
        self.failing: int | None = None
        self.calls = 0

    @property
    def key(self) -> VerifierKey:
        return VerifierKey(NAME, self.private.public_key().public_bytes_raw())

    @property
    def origin(self) -> str:
        return NAME if self.generation == 1 else f"{NAME}/{self.generation}"

    def publish(self, count: int, author: str = "ada", confidence: str | None = None) -> None:
        """Publish posts, threads and replies in turn, and add their entries."""
        for post_id in range(self.next_id, self.next_id + count):
            self.posts[post_id] = thread(post_id, author) if post_id % 2 else reply(post_id, author)
            if confidence is not None:
                self.confidences[post_id] = confidence
            self.entries.append(f"post {post_id} {self.digest(post_id)}\n".encode())
        self.next_id += count

    def restore(self, left: int, lost: int = 0) -> None:
        """Restore a backup that has `left` entries; `lost` more ids stay unused."""
        committed = f"{left} {b64encode(self.root(left)).decode()}"
        kept = {int(entry.split()[1]) for entry in self.entries[:left] if entry.startswith(b"post")}
        self.posts = {post_id: post for post_id, post in self.posts.items() if post_id in kept}
        self.generation += 1
        self.entries = [*self.entries[:left], f"begin {self.generation} {committed}\n".encode()]
        self.next_id += lost

    def canonical(self, post_id: int) -> str:
        post = self.posts[post_id]
        members = {
            "author": post["author"], "body": post["body"], "community": post["community"],
            "confidence": self.confidences.get(post_id), "created_us": round(post["created"] * 1e6),
            "format": "adds-receipt-1", "id": post_id, "kind": post["kind"], "origin": f"agent:{post['author']}",
            "parent": post["parent"], "purpose": f"public-{post['kind']}", "reply_to": post["reply_to"],
            "title": post.get("title"), "wanted_capabilities": post.get("wanted_capabilities", []),
        }  # fmt: skip
        return json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def digest(self, post_id: int) -> str:
        return sha256(self.canonical(post_id).encode()).hexdigest()

    def complete(self, level: int, index: int) -> bytes:
        start, middle = index << level, (index << level) + (1 << level >> 1)
        if level == 0:
            return leaf_hash(self.entries[start])
        return sha256(b"\x01" + self.complete(level - 1, start >> level - 1) +
                      self.complete(level - 1, middle >> level - 1)).digest()  # fmt: skip

    def root(self, size: int) -> bytes:
        return range_root(0, size, self.complete)

    def checkpoint(self) -> str:
        size = len(self.entries)
        return signed(self.private, self.key, self.origin, f"{size}\n{b64encode(self.root(size)).decode()}\n")

    def receipt(self, post_id: int) -> dict[str, Any]:
        index = next(at for at, entry in enumerate(self.entries) if entry.startswith(b"post %d " % post_id))
        size, kind = len(self.entries), self.posts[post_id]["kind"]
        proof = [b64encode(node).decode() for node in inclusion_proof(index, size, self.complete)]
        return {
            "post_id": post_id, "kind": kind, "url": "", "timestamp": self.posts[post_id]["created"],
            "origin": f"agent:{self.posts[post_id]['author']}", "origin_note": "", "purpose": f"public-{kind}",
            "canonical": self.canonical(post_id), "canonical_format": "adds-receipt-1",
            "sha256": self.digest(post_id), "confidence": None, "confidence_note": "", "verify": "",
            "log": {"index": index, "size": size, "proof": proof, "checkpoint": self.checkpoint()},
        }  # fmt: skip

    def answer(self, path: str, query: dict[str, list[str]]) -> bytes | None:
        """Return the content at a path, or None."""
        if path in self.answers:
            return self.answers[path]
        if path.startswith("/log/tile/"):
            return self.tile(path.removeprefix("/log/tile/"))
        if path == "/log/checkpoint":
            return self.checkpoint().encode()
        after = int(query.get("after", ["0"])[0])
        records: dict[str, Any] = {
            "/effects.json": {"log": {"checkpoint": f"{self.address}/log/checkpoint", "verifier_key": str(self.key)}},
            "/api/activity": page(list(self.posts.values()), after),
            "/api/moderation": page(self.actions, after),
        }
        if path.startswith("/api/posts/"):
            records[path] = self.receipt(int(path.split("/")[3]))
        return json.dumps(records[path]).encode() if path in records else None

    def tile(self, path: str) -> bytes | None:
        level, _, rest = path.partition("/")
        place, _, part = rest.partition(".p/")
        number, width = int(place.replace("/x", "").removeprefix("x").replace("/", "")), int(part or 256)
        height = 0 if level == "entries" else 8 * int(level)
        if (number * 256 + width) << height > len(self.entries):
            return None
        places = range(number * 256, number * 256 + width)
        if level == "entries":
            return b"".join(len(self.entries[at]).to_bytes(2, "big") + self.entries[at] for at in places)
        return b"".join(self.complete(height, at) for at in places)

    @contextmanager
    def served(self, port: int = 0) -> Iterator[None]:
        """Serve the board on a port, by default a free one."""
        board = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                board.calls += 1
                parts = urlsplit(self.path)
                content = None if board.failing else board.answer(parts.path, parse_qs(parts.query))
                self.send_response(board.failing or 404 if content is None else 200)
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, format: str, *args: Any) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
            self.address = f"http://127.0.0.1:{server.server_port}"
            thread = Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            yield
            server.shutdown()
            thread.join()


def signed(private: Ed25519PrivateKey, key: VerifierKey, origin: str, lines: str) -> str:
    """Return a note about some lines, signed under an origin."""
    text = f"{origin}\n{lines}"
    signature = b64encode(key.hash_for(origin) + private.sign(text.encode())).decode()
    return f"{text}\n\u2014 {origin} {signature}\n"


Change = Callable[[LogBoard], object]


def kept(home: Path) -> str:
    return next(home.rglob("log.checkpoint")).read_text()


def rewrite(board: LogBoard, index: int = 5) -> None:
    board.entries[index] = b"post %d %s\n" % (index, b"0" * 64)


def drop(board: LogBoard) -> None:
    del board.entries[5]


def reorder(board: LogBoard) -> None:
    board.entries[5], board.entries[6] = board.entries[6], board.entries[5]
